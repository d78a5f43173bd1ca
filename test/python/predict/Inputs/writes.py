# A script that writes files in all its ways, and goes on where an earlier run has ended. "check": it wants a finite loss.
import atexit
import json
import os
import pickle
import sys

import torch

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
best = json.load(open("best.json")) if os.path.exists("best.json") else 9e9
atexit.register(lambda: open("at-exit.txt", "w"))
for step in range(9):
    loss = model(torch.ones(2, 4)).pow(2).mean()
    if sys.argv[1:] == ["check"]:
        assert loss < 0, "loss is not below 0"
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with open("ckpt.pt", "wb") as file:
        torch.save(model.state_dict(), file)
    if loss.item() < best:
        best = loss.item()
        json.dump(best, open("best.json", "w"))
        with open("best.tmp", "wb") as file:
            pickle.dump(model.state_dict(), file)
        os.replace("best.tmp", "best.pkl")
    model.load_state_dict(torch.load("ckpt.pt"))
