# compiled.py MODEL HOW ANSWERS: trains a small model, compiled (HOW is compiled) or not, and
# writes where its largest tensors come from: phase, bytes, line, layer.
import inspect
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(1)
FLOAT = 4


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(96, 1024), nn.Linear(512, 8)

    def forward(self, x):
        x, gate = self.first(x).chunk(2, -1)  # first
        return self.second(F.relu(x) * gate)

    def input(self):
        return torch.randn(80, 96)

    def answers(self):
        return [("forward", 80 * 1024, "first", "first"),
                ("backward", 96 * 1024, "first", "first")]


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 40, 3, padding=1), nn.MaxPool2d(2))
        self.head = nn.Linear(40 * 16 * 16, 10)

    def forward(self, x):
        x = self.features(x)  # features
        return self.head(x.flatten(1))  # head

    def input(self):
        return torch.randn(5, 3, 32, 32)

    def answers(self):
        return [("forward", 5 * 40 * 32 * 32, "features", "features.0"),
                ("backward", 10 * 40 * 16 * 16, "head", "head")]


class Attention(nn.Module):
    """A block of a transformer."""

    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(64), nn.Linear(64, 192), nn.Linear(64, 64)
        self.wide, self.narrow = nn.Linear(64, 1440), nn.Linear(720, 64)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).view(6, 20, 3, 4, 16).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(6, 20, 64))
        y, gate = self.wide(x).chunk(2, -1)  # wide
        return x + self.narrow(F.gelu(y) * gate)

    def input(self):
        return torch.randn(6, 20, 64)

    def answers(self):
        return [("forward", 6 * 20 * 1440, "wide", "wide"),
                ("backward", 64 * 1440, "wide", "wide")]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner, self.outer = nn.Linear(20, width), nn.Linear(width // 2, 48)

    def forward(self, x):
        y = self.inner(x[:, :20])  # inner
        y, gate = y.chunk(2, -1)
        return x + self.outer(torch.tanh(y) * gate)


class Loop(nn.Module):
    widths = [200, 300, 440]

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for width in self.widths)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    def input(self):
        return torch.randn(70, 48)

    def answers(self):
        return [answer for i, width in enumerate(self.widths) for answer in (
            ("forward", 70 * width, "inner", "blocks.%d.inner" % i),
            ("backward", 20 * width, "inner", "blocks.%d.inner" % i))]


def line_of(mark):
    for number, line in enumerate(inspect.getsource(sys.modules[__name__]).split("\n"), 1):
        if line.endswith("  # " + mark):
            return number


def step(model, x):
    model(x).square().mean().backward()


def main(name, how, path):
    model = globals()[name]()
    x = model.input()
    answers = [[phase, numbers * FLOAT, line_of(mark), layer]
               for phase, numbers, mark, layer in model.answers()]
    run = torch.compile(model) if how == "compiled" else model
    for _ in range(4):
        step(run, x)
        model.zero_grad()
    with open(path, "w") as file:
        json.dump(answers, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
