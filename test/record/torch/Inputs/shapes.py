# shapes.py SHAPE STEPS TRUTH: trains a small model of that shape.
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import truth

torch.set_num_threads(1)
torch.manual_seed(1)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 8)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(),
                                      nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU())
        self.head = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(32, 50)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x)))


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(16, 24), nn.Linear(24, 4)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], 24)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return self.head(h)


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.norm = nn.Linear(32, 32), nn.LayerNorm(32)

    def forward(self, x):
        for _ in range(4):
            x = self.norm(torch.tanh(self.block(x)))
        return x


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(32, 32), nn.GELU()) for _ in range(3))
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.towers = nn.ModuleDict({n: nn.ModuleDict({"in": nn.Linear(16, 16),
                                                       "out": nn.Linear(16, 8)})
                                     for n in ("left", "right")})

    def forward(self, x):
        return sum(t["out"](torch.sigmoid(t["in"](x))) for t in self.towers.values())


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        return self.net(x)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


INPUTS = {"Mlp": (16, 32), "Cnn": (4, 3, 14, 14), "Rnn": (8, 6, 16), "Shared": (8, 32),
          "Checkpointed": (8, 32), "Nested": (8, 16)}


def one(model, x):
    optimizer = torch.optim.Adam(model.parameters())

    def step():
        y = model(x)
        loss = y.square().mean()
        truth.mark(loss, None)
        loss.backward()
        truth.in_optimizer = True
        optimizer.step()
        optimizer.zero_grad()
        truth.in_optimizer = False

    return step, [model]


def gan():
    g, d = Generator(), Discriminator()
    both = [torch.optim.Adam(m.parameters()) for m in (g, d)]

    def step():
        for optimizer, sign in zip(both, (1, -1)):
            loss = sign * d(g(torch.randn(16, 8))).mean()
            truth.mark(loss, None)
            loss.backward()
            truth.in_optimizer = True
            optimizer.step()
            for o in both:
                o.zero_grad()
            truth.in_optimizer = False

    return step, [g, d]


shape, steps, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if shape == "Gan":
    step, roots = gan()
elif shape == "Transformer":
    step, roots = one(Transformer(), torch.randint(0, 50, (4, 10)))
else:
    step, roots = one(globals()[shape](), torch.randn(INPUTS[shape]))
truth.run(step, roots, steps, path)
