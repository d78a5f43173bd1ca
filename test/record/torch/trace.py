# memkit.trace() names the layers of a model at once: by a name that is given, which
# stands whatever the model is in, or by its class. Of what is no model it says nothing.
#
# REQUIRES: python, torch
# RUN: memrec -q -o %t.fb -- %python %s | FileCheck %s --check-prefix=TOLD
# RUN: memdump --layers --format=csv %t.fb | FileCheck %s --implicit-check-not='{{^}}Linear,' --implicit-check-not='{{^}}Net,'
# RUN: memrec --heap='torch.*' -q --torch=heaps -o %t.heaps.fb -- %python %s | FileCheck %s --check-prefix=TOLD
# RUN: env PYTHONPATH=%src_root/python %python %s | FileCheck %s --check-prefix=TOLD
#
# TOLD: same: True 5 None
# CHECK-DAG: {{^}}student,{{.*}},false
# CHECK-DAG: {{^}}student.first,{{.*}},false
# CHECK-DAG: {{^}}student.first,{{.*}},true
# CHECK-DAG: {{^}}teacher.second,{{.*}},false
# CHECK-DAG: {{^}}teacher.first,{{.*}},false
# CHECK-DAG: {{^}}Pair,{{.*}},false
import torch

import memkit

torch.set_num_threads(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 64)
        self.second = torch.nn.Linear(64, 64)

    def forward(self, x):
        return self.second(self.first(x).relu())


class Pair(torch.nn.Module):
    def __init__(self, one, other):
        super().__init__()
        self.one, self.other = one, other

    def forward(self, x):
        return self.one(x) - self.other(x)


one, other = Net(), Net()
same = memkit.trace(one, "student") is one
print("same:", same, memkit.trace(5), memkit.trace(None, "none"))
memkit.trace(other, name="teacher")
both = memkit.trace(Pair(one, other))
for _ in range(3):
    both(torch.randn(8, 64)).sum().backward()
