# A program that is killed within an optimizer's step: that is no whole step, and the
# trace is in order.
#
# REQUIRES: python, torch
# RUN: not memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --check %t.fb
# RUN: memdump --format=asm %t.fb | FileCheck %s
# RUN: memleak -q %t.fb > %t.txt
#
# CHECK: step process=1 id=7
# CHECK-NOT: step process=1 id=8
import os
import signal

import torch

model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):

    def closure():
        if step == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        optimizer.zero_grad()
        loss = model(torch.ones(8, 64)).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
