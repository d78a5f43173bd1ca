# lbfgs.py N [ITERATIONS]: L-BFGS, whose history of N entries holds most.
import sys

import torch

model = torch.nn.Linear(300, 300)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=int(sys.argv[2]) if sys.argv[2:] else 5, history_size=int(sys.argv[1]))
x, y = torch.randn(20, 300), torch.randn(20, 300)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss


for step in range(200):
    optimizer.step(closure)
