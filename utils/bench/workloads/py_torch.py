# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch on the CPU: a small transformer, one thread. py_torch.py [STEPS]"""

import sys

import torch
from torch import nn

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 120
WORDS = 1000
WIDTH = 128


class Net(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 256, batch_first=True, dropout=0.1)
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        return self.head(self.encoder(self.embedding(x)))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for _ in range(STEPS):
        x = torch.randint(0, WORDS, (8, 32))
        y = torch.randint(0, WORDS, (8, 32))
        optimizer.zero_grad()
        loss = criterion(net(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
    print(float(loss.detach()))


main()
