# script.py HOW ANSWERS: trains a model of TorchScript (HOW: script, trace; inside: as a part of
# another model), and writes of what layer its largest tensors are: phase, bytes, null, layer.
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(1)
WIDTHS = [200, 300]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner, self.outer = nn.Linear(48, width), nn.Linear(width // 2, 48)

    def forward(self, x):
        a, b = self.inner(x).chunk(2, -1)
        return x + self.outer(torch.tanh(a) * b)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.rest = Block(WIDTHS[0]), nn.Sequential(Block(WIDTHS[1]))

    def forward(self, x):
        return self.rest(self.first(x))


class Outer(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.head = encoder, nn.Linear(48, 500)

    def forward(self, x):
        return self.head(self.encoder(x))


def main(how, path):
    x = torch.randn(70, 48)
    net = torch.jit.trace(Net(), x) if how == "trace" else torch.jit.script(Net())
    answers = [("first.inner", WIDTHS[0]), ("rest.0.inner", WIDTHS[1])]
    if how == "inside":
        net = Outer(net)
        answers = [("encoder." + layer, width) for layer, width in answers] + [("head", 500)]
    for _ in range(6):
        net(x).square().mean().backward()
        net.zero_grad()
    with open(path, "w") as file:
        json.dump([["forward", 70 * width * 4, None, layer] for layer, width in answers], file)


if __name__ == "__main__":
    main(*sys.argv[1:])
