# A plan leaves nothing in the program, wherever a step may write; interrupts and exits pass to the caller.
#
# REQUIRES: python, torch
# RUN: rm -rf %t && mkdir %t && env TMPDIR=%t PYTHONPATH=%obj_root/share/memkit/python %python -W error::DeprecationWarning %s | FileCheck %s
# CHECK:      in step 3
# CHECK-NEXT: planned
# CHECK-NEXT: in step 3
import array
import functools
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
import weakref

import torch
import torch.nn.functional as F

import memkit

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 16))
optimizer = torch.optim.Adam(model.parameters())
numbers, integers, octets = random.Random(3), array.array("i", [0]), bytearray(b"abc")
local, weak = threading.local(), weakref.WeakSet()
local.count = 0


class Counts:
    steps, table = 0, {}


@functools.lru_cache(maxsize=None)
def mask(n):
    return torch.triu(torch.full((n, n), -1e9), 1)


def step():
    Counts.steps += 1
    torch.set_num_threads(2)
    (torch.randint(5, (100000,)) * 2).sum()  # has values, so it is computed
    local.count += 1
    integers[0] += 1
    octets[0] += 1
    weak.add(model)
    numbers.random()
    log.flush()
    logging.getLogger("zz").setLevel(10 + Counts.steps)
    Counts.table.setdefault("cosines", torch.arange(10).float().cos())
    if Counts.steps == 3:
        model[0].requires_grad_(False)
        print("in step 3")
    q = model(torch.randn(4, 10, 16))
    loss = ((q @ q.transpose(1, 2) + mask(10)).softmax(-1) @ q).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def state():
    return [
        Counts.steps, dict(Counts.table), local.count, integers[0], bytes(octets), len(weak), numbers.getstate(),
        logging.getLogger("zz").level, mask.cache_info().currsize, [p.requires_grad for p in model.parameters()],
        [p.grad for p in model.parameters()], dict(optimizer.state), torch.get_rng_state().tolist(), torch.get_num_threads(),
    ]


torch.set_num_threads(2)
(torch.randn(900, 900, requires_grad=True) @ torch.randn(900, 900)).exp().sum().backward()  # in threads
log = open(os.path.join(os.environ["TMPDIR"], "log"), "w")
log.write("before\n")
before = state()
with warnings.catch_warnings():
    warnings.simplefilter("error")
    plan = memkit.predict(step, device="1GiB")
os.unlink(plan.path)
assert state() == before
print("planned")
log.close()
assert open(log.name).read() == "before\n"
log = open(os.devnull, "w")
losses = [step() for _ in range(3)]
assert all(type(loss) is torch.Tensor for loss in losses) and type(mask(10)) is torch.Tensor
waiting = threading.Thread(target=time.sleep, args=(30,), daemon=True)
waiting.start()
Counts.steps = 0
os.unlink(memkit.predict(step, device="1GiB").path)


# What ends the plan ends the call.
def ended(kind, step):
    try:
        memkit.predict(step)
    except kind as error:
        return error
    raise AssertionError(kind)


def interrupts():
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)


begin = time.time()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
assert ended(SystemExit, lambda: sys.exit(7)).code == 7 and ended(SystemExit, lambda: sys.exit("why")).code == "why"
ended(KeyboardInterrupt, interrupts)
assert time.time() - begin < 50


# A caller that is killed takes its plan along.
def waits():
    open(os.environ["TMPDIR"] + "/note", "w").close()
    model(torch.ones(2, 16))
    os.write(writing, b"x")
    time.sleep(60)


reading, writing = os.pipe()
caller = os.fork()
if caller == 0:
    memkit.predict(waits)
os.read(reading, 1)
os.close(writing)
os.kill(caller, signal.SIGKILL)
os.waitpid(caller, 0)
assert os.read(reading, 1) == b""  # nobody has it open
assert time.time() - begin < 50
assert not [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("memkit")]
assert "ended with" in str(ended(memkit.PredictionError, lambda: os.kill(os.getpid(), signal.SIGKILL)))
