# torch.jit: a traced and a scripted model run as they do alone, and what they allocate
# is of their root: no Python runs in them.
#
# REQUIRES: python, torch
# RUN: %python %s > %t.alone
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s > %t.recorded
# RUN: diff %t.alone %t.recorded
# RUN: memdump --check %t.fb
# RUN: memflame --format=collapsed --heap=torch.cpu --metric=allocated --group-by=scope-path %t.fb | FileCheck %s
#
# CHECK: {{forward.*aten::}}
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(100, 100)
        self.second = nn.Linear(100, 100)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


torch.set_num_threads(1)
torch.manual_seed(0)
net, x = Net(), torch.ones(50, 100)
for make in (lambda: torch.jit.script(net), lambda: torch.jit.trace(net, x)):
    made = make()
    for _ in range(3):
        y = made(x)
        y.square().mean().backward()
    print(float(y.detach().sum()))
