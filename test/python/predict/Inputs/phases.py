# A script that trains a model, drops it, and trains another. No loss is infinite.
import torch

WIDTH = 1024


def fit(model, steps):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        loss = model(torch.randn(16, WIDTH)).square().mean()
        if not torch.isfinite(loss):
            raise ValueError("the loss is not finite")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


model = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, 8))
fit(model, 3)
del model
fit(torch.nn.Linear(WIDTH, WIDTH), 3)
