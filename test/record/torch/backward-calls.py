# In the backward pass a layer has as many calls as in the forward pass, however many nodes of autograd it has, with
# checkpoints, and with a graph that is used twice.
#
# REQUIRES: torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --layers --format=csv %t.fb | %python %s check
import csv
import sys

if len(sys.argv) > 1:
    calls = {(r["name"], r["backward"]): int(r["calls"]) for r in csv.DictReader(sys.stdin)}
    for (layer, phase), count in calls.items():
        assert count == (12 if phase == "false" else 13), (layer, phase, count)
    assert {"body", "head", "ck", "ck.0"} <= {layer for layer, _ in calls}, calls
    sys.exit()

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(64, 64), nn.Linear(64, 10)
        self.ck = nn.Sequential(nn.Linear(64, 64), nn.ReLU())

    def forward(self, x):
        return self.head(checkpoint(self.ck, torch.relu(self.body(x)), use_reentrant=False))


net, x = Net(), torch.randn(8, 64)
for _ in range(11):
    net(x).sum().backward()
loss = net(x).sum()
loss.backward(retain_graph=True)
loss.backward()
