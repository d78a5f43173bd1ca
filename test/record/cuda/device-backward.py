# On a GPU autograd's own thread runs the backward pass: each tensor that the pass makes belongs
# to the line that called backward(). Runs on a GPU alone (utils/check --gpu).
#
# REQUIRES: torch-cuda
# RUN: %cuda memrec -o %t.fb -- %python %s
# RUN: memdump --check %t.fb
# RUN: memflame --format=collapsed --heap=torch.cuda:0 --metric=allocated %t.fb > %t.txt
# RUN: not grep -v device-backward.py: %t.txt
# RUN: grep -c "device-backward.py:[0-9]* backward;.*Engine::evaluate_function" %t.txt
# RUN: memstat --format=json %t.fb > %t.json
# RUN: %python -c "import json, sys; print([p['name'] for p in json.load(open(sys.argv[1]))['places'] if p['space'] == 'cuda:0' and p['kind'] != 'line'])" %t.json | FileCheck %s
# CHECK-NOT: C++ runtime
import torch
from torch import nn


def backward(loss):
    loss.backward()


net = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)]).cuda()
for _ in range(3):
    backward(net(torch.randn(4096, 1024, device="cuda")).square().mean())
torch.cuda.synchronize()
