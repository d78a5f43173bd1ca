# torch.compile: what it makes runs unharmed, and its tensors are of the compiled region.
#
# REQUIRES: python, torch
# RUN: memrec -q -o %t.fb -- %python %s | FileCheck %s --check-prefix=TOLD
# RUN: memdump --check %t.fb
# RUN: memdump --layers %t.fb | FileCheck %s
#
# TOLD: the same
# CHECK-DAG: OptimizedModule forward 6
# CHECK-DAG: OptimizedModule backward
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8))
x = torch.randn(16, 32)
expected = model(x)
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
for _ in range(6):
    y = compiled(x)
    y.square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print("the same" if torch.equal(y, expected) else "different")
