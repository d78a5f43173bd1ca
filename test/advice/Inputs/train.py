# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch programs that an advice helps, each beside one that it does not help. The argument is the name of the
program, and ADVICE=1 follows the advice. Prints `end BYTES` and `peak BYTES` of the resident memory, `workers BYTES`
(the private memory of workers) and `request ok` where a program had all the memory that it asked for."""

import os
import resource
import sys
import time

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset

ADVISED = "ADVICE" in os.environ
torch.set_num_threads(1)
torch.manual_seed(0)


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.01)


def mlp(depth, width):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.Tanh()]
    return nn.Sequential(*layers)


def train(model, steps, x, optimizer=None):
    optimizer = optimizer or sgd(model)
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        model(x).pow(2).mean().backward()
        optimizer.step()


def late_zero():
    """zero_grad() comes after the forward pass, so the old gradients live beside all activations."""
    model = mlp(12, 700)
    optimizer, x = sgd(model), torch.randn(850, 700)
    for _ in range(3):
        if ADVISED:
            optimizer.zero_grad(set_to_none=True)
        loss = model(x).pow(2).mean()
        if not ADVISED:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def accumulation():
    """Three backward passes for each step of the optimizer: the gradients between them are needed. The gradients
    are dropped before the first pass."""
    model = mlp(4, 900)
    optimizer, x = sgd(model), torch.randn(1300, 900)
    for _ in range(2):
        for _ in range(3):
            (model(x).pow(2).mean() / 3).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def adam():
    """Adam's state is twice the parameters."""
    model = nn.Sequential(nn.Embedding(30000, 160), nn.Linear(160, 10))
    make = torch.optim.Adafactor if ADVISED else torch.optim.Adam
    optimizer = make(model.parameters(), lr=1e-3, foreach=False)
    train(model, 3, torch.randint(30000, (64,)), optimizer)


def small_adam():
    """Adam's state beside activations that are many times as much."""
    model = mlp(6, 100)
    make = torch.optim.Adafactor if ADVISED else torch.optim.Adam
    train(model, 3, torch.randn(30000, 100), make(model.parameters(), lr=1e-3, foreach=False))


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        weights = torch.softmax(torch.tanh(q @ k.transpose(-1, -2) / 8), -1)
        return x + nn.functional.dropout(weights, 0.1) @ v


class Checkpointed(nn.Module):
    """Recomputes a module in the backward pass if the advice is followed."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return checkpoint(self.module, x, use_reentrant=False) if ADVISED else self.module(x)


def attention():
    """An attention whose activations are gone when those of the wide layers behind it are at their most."""
    wide = nn.Sequential(nn.Linear(64, 1800), nn.Tanh(), nn.Sigmoid(), nn.Tanh(), nn.Linear(1800, 1))
    train(nn.Sequential(Checkpointed(Attention(64)), wide), 2, torch.randn(3, 900, 64))


def one_operator():
    """A Tanh, the largest activation: to recompute its result, its input must live instead."""
    train(nn.Sequential(nn.Linear(64, 9000), Checkpointed(nn.Tanh()), nn.Linear(9000, 1)), 2, torch.randn(1000, 64))


def losses():
    """Losses that keep their graph: .item() drops it."""
    model = nn.Sequential(nn.Linear(64, 500), nn.Tanh(), nn.Linear(500, 1))
    optimizer, kept = sgd(model), []
    for _ in range(30):
        optimizer.zero_grad(set_to_none=True)
        loss = model(torch.randn(200, 64)).pow(2).mean()
        loss.backward()
        optimizer.step()
        value = model(torch.randn(400, 64)).pow(2).mean()
        kept.append(value.item() if ADVISED else value)
    print_end()


def features():
    """Features that were computed without a graph."""
    model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 200))
    probe, kept = nn.Linear(64, 1), []
    optimizer = sgd(probe)
    for _ in range(30):
        train(probe, 1, torch.randn(400, 64), optimizer)
        with torch.no_grad():
            found = model(torch.randn(400, 64))
        kept.append(found.detach() if ADVISED else found)
    print_end()


class Pairs(Dataset):
    """A list of tuples (the advice: an array), which workers read."""

    def __init__(self, count):
        numbers = torch.arange(count) if ADVISED else range(count)
        self.rows = torch.stack([numbers, numbers * 1.5], 1) if ADVISED else [(float(i), i * 1.5) for i in numbers]

    def __len__(self):
        return 60

    def __getitem__(self, index):
        part = len(self.rows) // 60
        rows = self.rows[index * part: (index + 1) * part]
        time.sleep(0.02)
        return torch.as_tensor(rows.sum() if ADVISED else sum(a + b for a, b in rows))


class Numbers(Dataset):
    """One array, and temporary objects of the workers' own."""

    def __init__(self):
        self.rows = torch.ones(60, 100000)

    def __len__(self):
        return 60

    def __getitem__(self, index):
        parts = [bytes(700 + (index * 37 + i) % 3000) for i in range(9000)]
        time.sleep(0.02)
        return self.rows[index].sum() + len(parts)


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty")) * 1024


def load(data):
    """Reads all samples with two workers, and prints the most private memory that the workers had."""
    most = 0
    for _ in DataLoader(data, batch_size=2, num_workers=2, multiprocessing_context="fork"):
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            most = max(most, sum(private_bytes(pid) for pid in file.read().split()))
    print("workers", most)


def limit(mib):
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * 4096 + (mib << 20)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def try_to(run):
    try:
        run()
        print("request ok")
    except RuntimeError:
        print("request failed")


def large_batch():
    """The activations of a large batch meet a limit."""
    model = nn.Sequential(nn.Linear(200, 1000), nn.Tanh(), nn.Sigmoid(), nn.Tanh(), nn.Sigmoid(), nn.Linear(1000, 1))
    train(model, 1, torch.randn(10, 200))
    limit(130)
    try_to(lambda: train(model, 2, torch.randn(1500 if ADVISED else 6000, 200)))


def kept_graphs():
    """The graphs of all steps meet a limit, whatever the batch is."""
    model = nn.Sequential(nn.Linear(200, 500), nn.Tanh(), nn.Sigmoid(), nn.Tanh(), nn.Linear(500, 1))
    optimizer, kept, rows = sgd(model), [], 250 if ADVISED else 500
    train(model, 1, torch.randn(10, 200), optimizer)
    limit(60)

    def run():
        for _ in range(100):
            train(model, 1, torch.randn(rows, 200), optimizer)
            kept.append(model(torch.randn(rows, 200)).mean())

    try_to(run)


def large_state():
    """Adam's temporary memory does not fit beside its state."""
    model = nn.Sequential(nn.Embedding(30000, 200), nn.Linear(200, 10))
    make = torch.optim.Adafactor if ADVISED else torch.optim.Adam
    optimizer = make(model.parameters(), lr=1e-3, foreach=False)
    make(nn.Linear(2, 2).parameters(), lr=1e-3, foreach=False)
    limit(95)
    try_to(lambda: train(model, 3, torch.randint(30000, (64,)), optimizer))


def large_results():
    """Results that the program keeps meet the limit, and the state is small."""
    model = nn.Sequential(nn.Embedding(20000, 200), nn.Linear(200, 10))
    make = torch.optim.Adafactor
    optimizer, kept = make(model.parameters(), lr=1e-3, foreach=False), []
    limit(130)

    def run():
        for _ in range(30):
            train(model, 1, torch.randint(20000, (64,)), optimizer)
            with torch.no_grad():
                kept.append(model[0](torch.randint(20000, (8000,))))

    try_to(run)


def print_end():
    with open("/proc/self/statm") as file:
        print("end", int(file.read().split()[1]) * 4096)


PROGRAMS = {f.__name__.replace("_", "-"): f
            for f in (late_zero, accumulation, adam, small_adam, attention, one_operator, losses, features, large_batch, kept_graphs,
                      large_state, large_results)}
PROGRAMS["pairs"] = lambda: load(Pairs(400000))
PROGRAMS["numbers"] = lambda: load(Numbers())

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
    with open("/proc/self/status") as status:
        print("peak", next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024)
