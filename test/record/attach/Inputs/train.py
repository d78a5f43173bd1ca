"""A training to attach to."""

import ctypes
import signal
import time

import torch

stop = False


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(64, 256)
        self.down = torch.nn.Linear(256, 64)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def has_observers():
    has = getattr(ctypes.CDLL("libtorch_cpu.so"), "_ZN2at18hasGlobalCallbacksEv")
    has.restype = ctypes.c_bool
    return has()


def end(*_):
    global stop
    stop = True


signal.signal(signal.SIGTERM, end)
torch.manual_seed(0)
model = torch.nn.Sequential(Block(), Block())
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
old = [torch.zeros(1 << 18) for _ in range(8)]
kept = []


def keep():
    kept.append(torch.ones(1 << 18))


def step(number):
    """The loss depends on the number alone."""
    torch.manual_seed(number)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.01)
    loss = model(torch.randn(128, 64)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


first, errors, steps = step(1), 0, 0
before = has_observers()
print("ready", flush=True)
while not stop:
    errors += step(1) != first
    if steps % 10 == 0 and len(kept) < 60:
        keep()
    if steps % 10 == 5 and old:
        old.pop()
    steps += 1
    time.sleep(0.001)
step(1)
print("steps %s, errors %d, observers of operators %s before, %s after" % ("some" if steps else "none", errors, before, has_observers()))
