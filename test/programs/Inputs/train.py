"""Trains a small model; leaking, it keeps each step's loss with its graph."""
import sys

import torch

KEPT = []
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
optimizer = torch.optim.Adam(model.parameters())


def train(inputs, wanted):
    loss = torch.nn.functional.mse_loss(model(inputs), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if sys.argv[1] == "leak":
        KEPT.append(loss + 1)
    return loss.item()


total = 0.0
open(sys.argv[2], "w").close()
while True:
    total += train(torch.randn(32, 64), torch.randn(32, 1))
