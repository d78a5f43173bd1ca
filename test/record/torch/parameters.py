# Parameters and buffers by the layer that holds them and by dtype: those of the model's own state, tied ones once, also in
# a model that was made before with other sizes under the same names.
#
# REQUIRES: python, torch
# RUN: memrec -q --heap='torch.*' -o %t.fb --force -- %python %s > %t.truth
# RUN: memdump --check %t.fb
# RUN: memstat --format=json %t.fb | %python -c 'import json, sys; print(*sorted((p["layer"], p["dtype"], p["buffer"], p["tensors"], p["elements"], p["bytes"]) for p in json.load(sys.stdin)["parameter_list"]), sep="\n")' | diff %t.truth -
# RUN: memstat --show=parameters %t.fb | FileCheck %s
# CHECK: layer dtype tensors elements bytes
# CHECK: embed float32 1 320
# CHECK: all parameters:
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = nn.Embedding(10, width)
        self.low = nn.Linear(width, 8, dtype=torch.bfloat16)
        self.norm = nn.BatchNorm1d(8)
        self.head = nn.Linear(width, 10, bias=False)
        self.head.weight = self.embed.weight
        self.scale = nn.Parameter(torch.ones(3, dtype=torch.float64))

    def forward(self, x):
        y = self.embed(x)
        return self.norm(self.low(y.to(torch.bfloat16)).float()).sum() + self.head(y).sum() * self.scale.sum()


torch.set_num_threads(1)
for width in (16, 32):
    net = Net(width)
    for _ in range(3):
        net(torch.arange(10)).backward()
seen, rows = set(), {}
for name, module in net.named_modules():
    for buffer, tensors in ((False, module._parameters), (True, module._buffers)):
        for t in tensors.values():
            if t is None or t.data_ptr() in seen:
                continue
            seen.add(t.data_ptr())
            row = rows.setdefault((name or "Net", str(t.dtype).removeprefix("torch."), buffer), [0, 0, 0])
            row[0] += 1
            row[1] += t.numel()
            row[2] += t.numel() * t.element_size()
print(*sorted((*key, *row) for key, row in rows.items()), sep="\n")
