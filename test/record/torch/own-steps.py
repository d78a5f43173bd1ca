# A step of the program is an epoch. The first calls of an optimizer come before memrec can know that, and
# count as steps; growth is measured from the first memkit.step() on.
#
# RUN: memrec -q --force -o %t.fb -- %python %s
# RUN: memleak %t.fb | FileCheck %s
# CHECK: {{^}}LEAK  own-steps.py:[[#]] <module>  +{{[0-9]+}} KiB per step
# CHECK-NEXT: kept.append(bytes(300000))
import memkit
import torch

model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
kept = []
for epoch in range(12):
    for _ in range(100):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).sum().backward()
        optimizer.step()
    kept.append(bytes(300000))
    memkit.step()
