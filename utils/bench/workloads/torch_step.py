# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures training steps of PyTorch.


    torch_step.py [toy|transformer|large] [STEPS] [--profiler] [--observe=LIBRARY] [--cuda]

Runs on the CPU with one thread, or with --cuda on the first GPU, where a step ends when the
GPU has finished.
toy: 22 modules, some 1,200 operators in a step of 1.2 ms.
transformer: 4 layers, 256 wide, sequences of 128, 16 of them.
large: 8 layers, 1,024 wide, sequences of 512, 16 of them, for a GPU.
--observe: the library's observe() adds observers of operators that do nothing.
The last line is JSON: wall time and processor time of a step in ms, minimum and median over
the steps after the first fifth."""

import ctypes
import json
import statistics
import sys
import time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(x + self.second(torch.relu(self.first(x))))


DEVICE = "cuda" if "--cuda" in sys.argv else "cpu"


def toy():
    net = nn.Sequential(*[Block(96) for _ in range(7)]).to(DEVICE)
    return net, lambda: net(torch.randn(64, 96, device=DEVICE)).square().mean()


def encoder(layers, width, heads, sequence):
    layer = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)
    net = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).to(DEVICE)
    return net, lambda: net(torch.randn(16, sequence, width, device=DEVICE)).square().mean()


MODELS = {"toy": (toy, 1000), "transformer": (lambda: encoder(4, 256, 4, 128), 12),
          "large": (lambda: encoder(8, 1024, 16, 512), 50)}


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    model = names[0] if names else "toy"
    make, steps = MODELS[model]
    steps = int(names[1]) if len(names) > 1 else steps
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net, loss = make()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9, foreach=False)
    profiler = None
    if "--profiler" in sys.argv:
        profiler = torch.profiler.profile(profile_memory=True, with_stack=True)
        profiler.start()
    for argument in sys.argv[1:]:
        if argument.startswith("--observe=") and not ctypes.CDLL(argument.split("=")[1]).observe():
            sys.exit("torch_step.py: PyTorch takes no observers here")
    wall, cpu = [], []
    for _ in range(steps):
        begin = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        wall.append(1e3 * (time.perf_counter() - begin[0]))
        cpu.append(1e3 * (time.process_time() - begin[1]))
    if profiler:
        profiler.stop()
    warm = steps // 5
    wall, cpu = wall[warm:], cpu[warm:]
    print(json.dumps({"wall": [min(wall), statistics.median(wall)], "cpu": [min(cpu), statistics.median(cpu)]}))


main()
