# A plan says whether a step fits, and is a trace that all tools answer on. The program's objects are as before.
#
# REQUIRES: libmemkit, python, torch
# RUN: rm -rf %t && mkdir %t && env TMPDIR=%t PYTHONPATH=%obj_root/share/memkit/python %python %s %t | FileCheck %s
# RUN: memdump --check %t/plan.fb
# RUN: memdump --layers %t/plan.fb | FileCheck %s --check-prefix=LAYERS
# RUN: memdump --categories %t/plan.fb | FileCheck %s --check-prefix=CATEGORIES
# RUN: memstat %t/plan.fb | FileCheck %s --check-prefix=MEMSTAT
# RUN: memflame --group-by=dtype --format=collapsed %t/plan.fb | FileCheck %s --check-prefix=DTYPES
# RUN: memsim --with=torch --device-bytes=1GiB %t/plan.fb | FileCheck %s --check-prefix=MEMSIM
import collections
import copy
import functools
import gc
import os
import random
import sys
import types

import torch
import torch.nn.functional as F
from torch import nn

import memkit

folder = sys.argv[1]
try:
    import numpy
except ImportError:
    numpy = None
torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256))
        self.norm = nn.BatchNorm1d(256)
        self.head = nn.Linear(256, 1000)
        self.last = None

    def forward(self, x):
        self.last = self.norm(self.body(x))
        return self.head(self.last)  # the logits


class Trainer:
    def __init__(self):
        self.model = Model()
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)
        self.count, self.losses = 0, []

    def step(self, batch=512, clear=True):
        self.count += 1
        random.random()
        if numpy:
            numpy.random.rand()
        loss = F.cross_entropy(self.model(torch.randn(batch, 256)), torch.randint(1000, (batch,)))
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        if clear:
            self.optimizer.zero_grad()
        self.losses.append(loss.detach())


trainer = Trainer()
trainer.step(batch=8, clear=False)  # gradients and states are there


def drawn():
    """Where the numbers of numpy stand."""
    return numpy.random.get_state()[1:3][1] if numpy else None


def state():
    one, other = trainer.model.state_dict(), trainer.optimizer.state_dict()
    return copy.deepcopy([one, other, trainer.schedule.state_dict(), trainer.losses, [p.grad for p in trainer.model.parameters()]])


def same(one, other):
    if isinstance(one, torch.Tensor):
        return type(one) is type(other) and torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


before, last, numbers = state(), trainer.model.last, (torch.get_rng_state(), random.getstate(), drawn())
plan = memkit.predict(trainer.step, device="1GiB", beside=0, path=os.path.join(folder, "plan.fb"))
assert same(before, state()) and trainer.count == 1 and trainer.model.last is last
assert torch.equal(numbers[0], torch.get_rng_state()) and numbers[1] == random.getstate() and numbers[2] == drawn()
assert all(type(p.grad) is torch.Tensor for p in trainer.model.parameters())
print(plan)
# CHECK:      fits 1 GiB: [[#]] MiB reserved at the peak of step {{[123]}} (the optimizer)
# CHECK-NEXT: tensors {{.*}} MiB at the peak of step {{.*}}
# CHECK-NEXT: largest {{.*}} %  {{.*}}
# CHECK:      not in it CUDA's context
# CHECK-NEXT: trace {{.*}}plan.fb
assert plan.fits and plan.short_bytes == 0 and plan.device_bytes == 1 << 30
assert plan.tensor_bytes <= plan.peak_bytes <= plan.reserved_bytes, (plan.tensor_bytes, plan.peak_bytes, plan.reserved_bytes)
names = [row.name for row in plan.largest]
assert any("answers.py:" in name and "Model.forward" in name for name in names), names
assert "[parameters]" in names and "[state of the optimizer]" in names, names
assert abs(sum(row.share for row in plan.largest) - 1) < 0.001
assert [row.heap for row in plan.trace.heaps] == ["torch.cuda:0"] and len(plan.trace.steps()) == 3
# MEMSTAT: cuda:0 peak
# MEMSTAT: Tensors at the peak of torch.cuda:0
# LAYERS-DAG: head {{ *}}forward {{ *}}cuda:0 {{ *}}3
# LAYERS-DAG: head {{ *}}backward {{ *}}cuda:0 {{ *}}3
# LAYERS-DAG: body.0 {{ *}}backward {{ *}}cuda:0 {{ *}}3
# CATEGORIES-DAG: {{^}}optimizer state
# CATEGORIES-DAG: {{^}}parameter
# CATEGORIES-DAG: {{^}}gradient
# DTYPES-DAG: float32;
# DTYPES-DAG: int64;
# MEMSIM: torch.cuda:0, a device with 1 GiB

# What does not fit says how much is missing, and where.
small = memkit.predict(trainer.step, device="30MB")
print(small.answer())
# CHECK: does not fit 30 MB: {{.*}} MiB short, first at answers.py:[[#]]
assert not small.fits and small.fails_at.startswith("answers.py:")
enough = small.device_bytes + small.short_bytes
assert memkit.predict(trainer.step, device=enough, beside=0).fits
assert not memkit.predict(trainer.step, device=int(enough * 0.97), beside=0).fits
os.unlink(small.path)

# What is left for CUDA is a part of the answer, unless the caller has set it aside.
tight = memkit.predict(trainer.step, device="1GiB", path=os.path.join(folder, "way.fb"))
print(tight.answer())
# CHECK: fits 1 GiB if CUDA takes no more than {{[0-9]+}} MiB of it: {{[0-9]+}} MiB reserved
assert tight.left_bytes == (1 << 30) - tight.reserved_bytes and tight.beside_bytes is None
aside = memkit.predict(trainer.step, device="4GiB", beside="1GiB", path=os.path.join(folder, "way.fb"))
print(aside.answer())
# CHECK: fits 4 GiB less 1 GiB: {{[0-9]+}} MiB reserved
assert aside.beside_bytes == 1 << 30 and aside.device_bytes == 3 << 30

# On the CPU: the tensors' own bytes, no verdict.
host = memkit.predict(trainer.step, device="cpu")
assert host.fits is None and host.reserved_bytes is None and host.peak_bytes == host.tensor_bytes
print(host.answer())
# CHECK: MiB of tensors at the peak of step
os.unlink(host.path)

# Which batch fits.
found = memkit.predict(trainer.step, device="64MiB", beside=0, vary={"batch": range(64, 4097, 64)})
print(found)
# CHECK:      batch 64..{{[0-9]+}} fit 64 MiB; {{[0-9]+}} needs {{.*}} MiB
# CHECK-NEXT: memory was assumed to rise with batch: {{[0-9]+}} of 64 values were planned
# CHECK-NEXT: fits 64 MiB
assert found.assumed and len(found.runs) < 12 and found.best is found.runs[found.largest]
assert found.runs[found.largest].fits and not found.runs[found.largest + 64].fits
assert [n for n, run in found.runs.items() if os.path.exists(run.path)] == [found.largest]
os.unlink(found.best.path)
few = memkit.predict(trainer.step, device="1GiB", beside=0, vary={"batch": [32, 64]})
assert few.answer() == "batch 32..64 fit 1 GiB: all that were asked for" and not few.assumed
assert "no value fits" in memkit.predict(trainer.step, device="1MiB", vary={"batch": [32, 64]}).answer()
assert trainer.count == 1


# A step that makes everything itself, also with the words of CUDA.
def alone():
    model = nn.Linear(1000, 1000).cuda()
    y = model(torch.ones(100, 1000, device="cuda").to("cuda:0"))
    y.sum().backward()


assert memkit.predict(alone).peak_bytes >= 8_000_000

# What a step reaches by names of modules, methods and classes is planned, and as before.
hidden = types.ModuleType("code")  # also the name of a module of Python
hidden.__file__ = "src/code.py"
sys.modules["code"] = hidden
exec(
    """
import torch
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.Adam(model.parameters())
calls, registry = 0, {"other": [torch.optim.SGD(torch.nn.Linear(8, 8).parameters(), momentum=0.9)]}
class Engine:
    __slots__, total = ("last", "unset"), 0
    def run(self):
        global calls, made
        calls += 1
        made = self.unset = self.last = model(torch.ones(2, 8)).sum()
        made.backward()
        optimizer.step()
        Engine.total += 1
        Engine.best = made
engine = Engine()
engine.last = 0
""",
    vars(hidden),
)
hidden.Engine.__module__ = "code"
seen, latest = {1}, collections.deque([1], maxlen=2)


def by_names():
    hidden.engine.run()
    seen.add(2)
    latest.append(2)
    (other,) = (one for one in gc.get_objects() if type(one) is torch.optim.SGD)
    sum(p.sum() for p in other.param_groups[0]["params"]).backward()
    other.step()


memkit.predict(by_names)
assert hidden.calls == 0 and not hasattr(hidden, "made") and not hidden.optimizer.state and hidden.model.weight.grad is None
assert hidden.engine.last == 0 and not hasattr(hidden.engine, "unset")
assert hidden.Engine.total == 0 and not hasattr(hidden.Engine, "best")
assert seen == {1} and list(latest) == [1]
(other,) = hidden.registry["other"]
assert not other.state and all(p.grad is None for p in other.param_groups[0]["params"])

# Attention of CUDA keeps no matrix of the dropout; that of the CPU does.
q = torch.randn(2, 4, 512, 32, requires_grad=True)
attention = functools.partial(F.scaled_dot_product_attention, q, q, q)
with_dropout = [memkit.predict(lambda: attention(dropout_p=0.1).sum().backward(), device=d).peak_bytes for d in ("1GiB", "cpu")]
assert with_dropout[0] < 4 << 20 < 8 << 20 < with_dropout[1], with_dropout

# Values that a plan does not have.
noted = memkit.predict(lambda: trainer.model(q.flatten()[: 512 * 256].view(512, 256)).sum().item())
assert "was taken as 1.0" in str(noted) and "answers.py:" in str(noted), noted

# Ways of computing that wrap tensors or modules.
x = torch.randn(32, 256)
weights = dict(trainer.model.body.named_parameters())


def by_function():
    return torch.func.grad(lambda w: torch.func.functional_call(trainer.model.body, w, (x,)).square().sum())(weights)


@torch.inference_mode()
def inferring():
    return trainer.model.body(x)


def twice_backward():
    y = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(trainer.model.body(y).sum(), y, create_graph=True)
    gradient.norm().backward()


def without_model():
    return torch.ones(1000, 1000) @ torch.ones(1000, 1000)


for step, least in ((by_function, 4 << 20), (inferring, 2 << 20), (twice_backward, 4 << 20), (without_model, 12_000_000)):
    assert memkit.predict(step, path=os.path.join(folder, "way.fb")).peak_bytes >= least, step


# Small numbers outside of passes have their values: a program chooses its data with them.
def by_number():
    picked = torch.stack([x[i : i + 4] for i in torch.randint(8, (16,))])
    order = torch.randperm(10)
    assert sorted(order.tolist()) == list(range(10)) and int(torch.tensor([3, 4]).sum()) == 7
    trainer.model.body(picked).sum().backward()


memkit.predict(by_number, path=os.path.join(folder, "way.fb"))
print(memkit.predict(lambda: print(f"{trainer.model.body(x).sum():.2f}"), path=os.path.join(folder, "way.fb")).notes)
# CHECK: 1.00
# CHECK: the value that answers.py:[[#]] reads was taken as 1.0
compiled = torch.compile(trainer.model.body)
assert memkit.predict(lambda: compiled(x), path=os.path.join(folder, "way.fb")).peak_bytes > 1 << 20
