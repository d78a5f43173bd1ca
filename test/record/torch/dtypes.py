# The dtype of a tensor's memory is that of the first operator's input in it, also of a view and in a list; a tensor that
# no operator takes has none.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q --torch=shapes -o %t.fb --force -- %python %s
# RUN: memdump --check %t.fb
# RUN: memflame --group-by=dtype --format=collapsed --heap=torch.cpu --metric=allocated %t.fb > %t.txt
# RUN: %python %s sum %t.txt | FileCheck %s --match-full-lines
# CHECK: bfloat16 200000
# CHECK-NEXT: bool 7000
# CHECK-NEXT: float32 2000000
# CHECK-NEXT: int64 800000
# CHECK-NEXT: unknown 12000
#
# RUN: memrec --heap='torch.*' -q -o %t.none.fb --force -- %python %s
# RUN: not memflame --group-by=dtype --format=collapsed %t.none.fb 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: memflame: error: {{.*}}none.fb: the trace has no dtypes of tensors; memrec records them of TensorFlow, and of PyTorch with --torch=shapes
import collections
import sys

if sys.argv[1:2] == ["sum"]:
    sums = collections.Counter()
    for line in open(sys.argv[2]):
        stack, value = line.rsplit(" ", 1)
        sums[stack.split(";")[0]] += int(value)
    print(*(f"{name} {bytes}" for name, bytes in sorted(sums.items())), sep="\n")
    sys.exit()

import torch

a = torch.full((1000, 100), 1.5)
b = a.to(torch.bfloat16)
c = torch.arange(100000)
for view in (a, b, c):
    view[10:20].view(-1)
parts = [torch.full((10000,), 1.0) for _ in range(30)]
torch._foreach_neg_(parts)
d = torch.full((10000,), 2.0)
d.neg_()
e = torch.zeros(90000).unsqueeze(0)
del d
again = torch.full((7000,), True)
again.logical_not_()
unread = torch.Tensor(3000)
