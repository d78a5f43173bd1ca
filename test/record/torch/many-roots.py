# However many models a program makes one after another, the layers of each have
# their names; modules that are made in the loop are called by their class.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --layers --format=csv %t.fb > %t.csv
# RUN: FileCheck %s < %t.csv
# RUN: FileCheck --check-prefix=NONE %s < %t.csv
#
# CHECK-DAG: {{^}}Net,200,{{.*}},false,
# CHECK-DAG: {{^}}first,{{199|200}},{{.*}},false,
# CHECK-DAG: {{^}}second,{{199|200}},{{.*}},false,
# CHECK-DAG: {{^}}Softplus,200,{{.*}},false,
# CHECK-DAG: {{^}}MSELoss,200,{{.*}},false,
# NONE-NOT: {{^}}Linear,{{[2-9]|[1-9][0-9]}}
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 64)
        self.second = torch.nn.Linear(64, 64)

    def forward(self, x):
        return torch.nn.Softplus()(self.second(self.first(x)))


torch.set_num_threads(1)
for _ in range(200):
    x = torch.randn(8, 64)
    torch.nn.MSELoss()(Net()(x), x).backward()
