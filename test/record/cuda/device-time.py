# On a GPU the times of kernels are those that torch.profiler gives, in a run of its own: a process
# has one user of CUPTI's activity records. Runs on a GPU alone (utils/check --gpu).
#
# REQUIRES: torch-cuda
# RUN: %python %s profiled > %t.profiled
# RUN: %cuda memrec -q --cuda=time -o %t.fb -- %python %s
# RUN: memdump --kernels --format=csv %t.fb > %t.csv
# RUN: %python %s compare %t.profiled %t.csv | FileCheck %s
# CHECK: launches without a line: 0
# CHECK-NEXT: kernels of the profiler: True
# CHECK-NEXT: times differ by more than 2 %: False
import csv
import sys

import torch
from torch import nn

STEPS = 5


def train():
    torch.manual_seed(1)
    net = nn.Sequential(*[nn.Linear(2048, 2048) for _ in range(8)]).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    for _ in range(STEPS):
        optimizer.zero_grad()
        net(torch.randn(4096, 2048, device="cuda")).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


def profiled():
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as profile:
        train()
    kernels = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA and "Mem" not in e.name]
    print(len(kernels), sum(e.device_time for e in kernels) * 1000)


def compare(profile, table):
    count, ns = map(float, open(profile).read().split())
    kernels = [row for row in csv.DictReader(open(table)) if row["kind"] == "kernel"]
    print("launches without a line:", sum(int(row["untied"] or 0) for row in kernels))
    print("kernels of the profiler:", sum(int(row["calls"]) for row in kernels) == count)
    print("times differ by more than 2 %:", abs(sum(int(row["duration_ns"]) for row in kernels) / ns - 1) > 0.02)


if sys.argv[1:2] == ["compare"]:
    compare(*sys.argv[2:])
elif sys.argv[1:2] == ["profiled"]:
    profiled()
else:
    train()
