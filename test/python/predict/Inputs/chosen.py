# A script that trains on a part of its data, which a mask chooses.
import torch

net = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    x = torch.randn(512, 64)
    y = net(x)
    loss = y[y.sum(1) > 0].square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
