# Two optimizers, of which the second steps once in N times of the first.
import sys

import torch
from torch import nn

each = int(sys.argv[1])
made = nn.Sequential(nn.Linear(64, 500), nn.ReLU(), nn.Linear(500, 500), nn.ReLU(), nn.Linear(500, 500))
judge = nn.Sequential(nn.Linear(500, 100), nn.LeakyReLU(0.2), nn.Linear(100, 1))
of_made = torch.optim.Adam(made.parameters())
of_judge = torch.optim.Adam(judge.parameters())
for step in range(2 * each + 2):
    z = torch.randn(16, 64)
    with torch.no_grad():
        fake = made(z)
    of_judge.zero_grad()
    (judge(fake).mean() - judge(torch.randn(16, 500)).mean()).backward()
    of_judge.step()
    if step % each == each - 1:
        of_made.zero_grad()
        (-judge(made(z)).mean()).backward()
        of_made.step()
