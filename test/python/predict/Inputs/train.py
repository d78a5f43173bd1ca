# An ordinary script: data in memory, a loader with workers, a model, a log, files.
import argparse
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--save", required=True)
parser.add_argument("--ends", action="store_true")
options = parser.parse_args()
device = "cuda" if torch.cuda.is_available() else "cpu"

data = TensorDataset(torch.randn(4000, 3, 32, 32), torch.randint(10, (4000,)))  # 47 MB, which stay on the host
loader = DataLoader(data, batch_size=options.batch, shuffle=True, num_workers=2)
model = nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(),
                      nn.Linear(512, 10)).to(device)
optimizer = torch.optim.AdamW(model.parameters())
model = torch.compile(model)
steps, best = 0, 9.0
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        steps += 1
        print("step %d: %.3f" % (steps, loss.item()))
        if loss < best:  # a condition on values
            best = loss
        torch.save(model.state_dict(), options.save)
        if options.ends:
            raise SystemExit(5)
