# What DataParallel wraps around a model is no part of the names of its
# layers, whoever gives the name; a module that is called `module` elsewhere is.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --layers --format=csv %t.fb > %t.csv
# RUN: FileCheck %s < %t.csv
# RUN: not grep -F student.module. %t.csv
#
# CHECK-DAG: {{^}}student.first,{{.*}},false
# CHECK-DAG: {{^}}student.second,{{.*}},false
# CHECK-DAG: {{^}}module.first,{{.*}},false
import torch

import memkit


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 64)
        self.second = torch.nn.Linear(64, 64)

    def forward(self, x):
        return self.second(self.first(x).relu())


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.module = Net()

    def forward(self, x):
        return self.module(x)


torch.set_num_threads(1)
wrapped = memkit.trace(torch.nn.DataParallel(Net()), "student")
holder = Holder()
for _ in range(3):
    wrapped(torch.randn(8, 64))
    holder(torch.randn(8, 64))
