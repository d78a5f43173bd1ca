# A plan tells ways to take less memory: each is planned as it would run, with the work that it adds.
#
# REQUIRES: libmemkit, python, torch
# RUN: rm -rf %t && mkdir %t && env TMPDIR=%t PYTHONPATH=%obj_root/share/memkit/python %python %s | FileCheck %s
#      CHECK: does not fit 48 MiB
#      CHECK: {{^}}  instead {{ *}}{{[0-9.]+}} MiB reserved, fits, {{[1-9][0-9]}} % more work: checkpoint of {{all 6 layers|blocks \(4 layers\)}}
#      CHECK: MiB reserved{{.*}}: an optimizer that keeps its states in bfloat16
# CHECK-NEXT: trace
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

import memkit
from memkit._predict import _run
from memkit._predict._device import planned_device
from memkit._predict._layers import Change


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.proj = nn.LayerNorm(128), nn.Linear(128, 384), nn.Linear(128, 128)
        self.mlp = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128))

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).view(*x.shape[:2], 3, 4, 32).permute(2, 0, 3, 1, 4)
        x = x + self.proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape))
        return x + self.mlp(x)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(128, 128), nn.ReLU())

    def forward(self, x):
        return self.inner(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.small = nn.ModuleList(Small() for _ in range(2))
        self.blocks = nn.ModuleList(Block() for _ in range(4))
        self.checkpoints = False

    def forward(self, x):
        for layer in self.small:
            x = layer(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpoints else block(x)
        return x


model = Model()
optimizer = torch.optim.AdamW(model.parameters())


def step():
    model(torch.randn(4, 256, 128)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


plan = memkit.predict(step, device="48MiB", beside=0, variants=True)
print(plan)
assert all("forward" not in vars(module) for module in model.modules())
found = {variant.name: variant for variant in plan.variants}
reserved = [variant.reserved_bytes for variant in plan.variants]
assert reserved == sorted(reserved) and reserved[-1] <= plan.reserved_bytes, (plan.reserved_bytes, reserved)
# As if it were written so.
model.checkpoints = True
written = memkit.predict(step, device="48MiB", beside=0)
model.checkpoints = False
planned = found["checkpoint of blocks (4 layers)"]
assert planned.reserved_bytes == written.reserved_bytes and planned.fits == written.fits, (planned, written.reserved_bytes)
assert abs(planned.work - written.flops / plan.flops) < 1e-9 and 1.15 < planned.work < 1.34, planned
# What PyTorch counts of a step that runs.
with FlopCounterMode(display=False) as counter:
    step()
attention = 4 * 7 * 4 * 4 * 2 * 256 * 256 * 32  # of the CPU: two products forward, five backward
assert plan.flops == 3 * (counter.get_total_flops() + attention), (plan.flops, counter.get_total_flops())
# Both states of AdamW.
states = sum(2 * -(-parameter.numel() * 4 // 512) * 512 for parameter in model.parameters())
where = planned_device("48MiB", 0)
halved = _run.plan(step, where, _run.Asked(3), None, Change(halves_states=True))
assert abs(plan.peak_bytes - halved.peak_bytes - states / 2) <= 512 * 2 * len(list(model.parameters())), (plan.peak_bytes, halved.peak_bytes, states)
# One question at a time; no model, no variants of layers.
try:
    memkit.predict(lambda batch: step(), device="48MiB", vary={"batch": [1]}, variants=True)
    raise AssertionError("two questions")
except memkit.RequestError as error:
    assert "ask one of them" in str(error), error
weights = torch.zeros(1 << 20, requires_grad=True)
assert memkit.predict(lambda: (weights * 2).sum().backward(), device="1GiB", variants=True).variants == []
