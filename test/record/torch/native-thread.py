# A thread that has run modules runs operators when its frames of Python are gone, and
# their memory with them: they are nobody's layer.
#
# REQUIRES: python, torch
# RUN: cc -shared -fPIC %S/Inputs/native-thread.c -o %t.so -lpthread
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s %t.so | FileCheck %s --check-prefix=TOLD
# RUN: memdump --check %t.fb
# RUN: memflame --format=collapsed --heap=torch.cpu --metric=allocated --group-by=scope-path %t.fb | FileCheck %s
#
# TOLD: done
# CHECK-DAG: {{^}}forward;Net;{{.*}}aten::mul 40000
# CHECK-DAG: {{^}}aten::clone{{.*}} 1000000
import ctypes
import sys

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


def work():
    with torch.no_grad():
        net(x)


torch.set_num_threads(1)
net = Net()
x = torch.ones(10000)
ctypes.CDLL(sys.argv[1]).run()
print("done")
