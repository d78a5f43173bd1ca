# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of PyTorch on the CPU, one thread: how long one takes.

    torch_step.py [toy|transformer] [STEPS] [--profiler]

toy: 22 modules, some 1,200 operators in a step of 1.2 ms.
transformer: 4 layers, 256 wide, sequences of 128, 16 of them.
The last line is JSON: what a step took in ms, by the wall and by the processor's time of
the process, least and median of those after the first fifth."""

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


def toy():
    net = nn.Sequential(*[Block(96) for _ in range(7)])
    return net, lambda: net(torch.randn(64, 96)).square().mean()


def transformer():
    layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
    net = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    return net, lambda: net(torch.randn(16, 128, 256)).square().mean()


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    model = names[0] if names else "toy"
    steps = int(names[1]) if len(names) > 1 else {"toy": 1000, "transformer": 12}[model]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net, loss = {"toy": toy, "transformer": transformer}[model]()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9, foreach=False)
    profiler = None
    if "--profiler" in sys.argv:
        profiler = torch.profiler.profile(profile_memory=True, with_stack=True)
        profiler.start()
    wall, cpu = [], []
    for _ in range(steps):
        begin = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        wall.append(1e3 * (time.perf_counter() - begin[0]))
        cpu.append(1e3 * (time.process_time() - begin[1]))
    if profiler:
        profiler.stop()
    warm = steps // 5
    wall, cpu = wall[warm:], cpu[warm:]
    print(json.dumps({"wall": [min(wall), statistics.median(wall)], "cpu": [min(cpu), statistics.median(cpu)]}))


main()
