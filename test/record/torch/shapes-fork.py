# A child of fork records the shapes of its own operators: those that its parent has run before, and others.
#
# REQUIRES: python, torch
# RUN: memrec -q --torch=shapes --heap='torch.*' -o %t.fb --force -- %python %s
# RUN: memdump --check %t.fb
# RUN: memdump --operators --format=csv %t.fb | FileCheck %s
# CHECK-DAG: {{^}}aten::mm,2,{{.*}},416,operator,"float32[2,4] float32[4,13]",,{{$}}
# CHECK-DAG: {{^}}aten::mm,1,{{.*}},72,operator,"float32[4,3] float32[3,3]",,{{$}}
import os

import torch

torch.set_num_threads(1)


def multiply(m, k, n):
    return torch.ones(m, k) @ torch.ones(k, n)


multiply(2, 4, 13)
child = os.fork()
if child == 0:
    multiply(2, 4, 13)
    multiply(4, 3, 3)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
