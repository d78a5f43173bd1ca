# What an evaluation computes from results and keeps is no input; its data are.
#
# REQUIRES: python, torch
# RUN: memrec -q --heap=torch.* -o %t.fb --force -- %python %s
# RUN: memdump --categories %t.fb | FileCheck %s
# The data, and the last result but one: a single pass began since, as with an input.
# CHECK-DAG: input 65 MiB {{[0-9.]+}} % 2
# CHECK-DAG: unknown 14 MiB {{[0-9.]+}} % 14
import torch

net = torch.nn.Linear(256, 256)
data = torch.randn(64, 1024, 256)  # 64 MiB


def evaluate():
    outs = []
    with torch.no_grad():
        for x in data[:16]:
            outs.append(net(x).softmax(1))
    return outs


kept = evaluate()
