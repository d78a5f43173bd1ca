# shapes.py SHAPE STEPS TRUTH: trains a small model of that shape.
import copy
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


class Raw(nn.Module):
    """Parameters and buffers that it makes itself."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(32))
        self.place = nn.Parameter(torch.randn(8, 32) * 0.02)
        self.frozen = nn.Parameter(torch.zeros(32), requires_grad=False)
        self.register_buffer("mask", torch.tril(torch.ones(32, 32)))
        self.out = nn.Linear(32, 8)

    def forward(self, x):
        return self.out((x * self.scale + self.place + self.frozen) @ self.mask)


INPUTS = {"Mlp": (16, 32), "Cnn": (4, 3, 14, 14), "Rnn": (8, 6, 16), "Shared": (8, 32),
          "Checkpointed": (8, 32), "Nested": (8, 16), "Raw": (8, 32)}


def one(model, x):
    optimizer = torch.optim.Adam(model.parameters())

    def step(look=lambda name: None):
        y = model(x)
        loss = y.square().mean()
        truth.mark(loss, None)
        look("forward")
        loss.backward()
        look("backward")
        truth.in_optimizer = True
        optimizer.step()
        look("optimizer")
        optimizer.zero_grad()
        truth.in_optimizer = False

    return step, [model], [optimizer]


def gan():
    g, d = Generator(), Discriminator()
    both = [torch.optim.Adam(m.parameters()) for m in (g, d)]

    def step(look=lambda name: None):
        for optimizer, sign in zip(both, (1, -1)):
            loss = sign * d(g(torch.randn(16, 8))).mean()
            truth.mark(loss, None)
            look("forward")
            loss.backward()
            look("backward")
            truth.in_optimizer = True
            optimizer.step()
            look("optimizer")
            for o in both:
                o.zero_grad()
            truth.in_optimizer = False

    return step, [g, d], both


def accumulated():
    """Two passes a step, gradients that stay, momentum; it goes on where another was."""

    def begin():
        model = Mlp()
        model.first.bias.requires_grad_(False)
        return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    before, trained = begin()
    before(torch.randn(16, 32)).sum().backward()
    trained.step()
    model, optimizer = begin()
    model.load_state_dict(copy.deepcopy(before.state_dict()))
    optimizer.load_state_dict(copy.deepcopy(trained.state_dict()))
    del before, trained

    def step(look=lambda name: None):
        for _ in range(2):
            loss = F.cross_entropy(model(torch.randn(256, 32)), torch.randint(0, 8, (256,)))
            look("forward")
            loss.backward()
            look("backward")
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        look("optimizer")
        optimizer.zero_grad(set_to_none=False)

    return step, [model], [optimizer]


def make(shape):
    """What does a step, the root modules, the optimizers."""
    if shape == "Gan":
        return gan()
    if shape == "Accumulated":
        return accumulated()
    if shape == "Transformer":
        return one(Transformer(), torch.randint(0, 50, (4, 10)))
    return one(globals()[shape](), torch.randn(INPUTS[shape]))


if __name__ == "__main__":
    shape, steps, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    step, roots, _ = make(shape)
    truth.run(step, roots, steps, path)
