# memleak's hint on results that keep their autograd graph: of a program that keeps the loss of
# each step, not of the same program that keeps its value.
#
# REQUIRES: torch
# RUN: memrec -q --force -o %t.fb -- %python %s graph
# RUN: memleak --kind=growth %t.fb | FileCheck %s
# RUN: memrec -q --force -o %t.fb -- %python %s value
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
#
# CHECK: LEAK graph.py:
# CHECK: layers:
# CHECK: hint: results keep their autograd graph: keep .item() or .detach(), or compute under torch.no_grad()
# NONE-NOT: hint:
import sys

import memkit
import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64))
losses = []
for step in range(40):
    memkit.step()
    loss = model(torch.ones(32, 64)).sum()
    losses.append(loss if sys.argv[1] == "graph" else loss.item())
