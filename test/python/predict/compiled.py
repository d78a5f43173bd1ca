# REQUIRES: python, torch
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python %s 2> err
# RUN: not grep Warning %t/err
#
# A step that is compiled is planned as eager, and the plan says so with a range: compiled in the step, before it, as a
# function, as a decorator, by Module.compile(). Compiling itself does not happen.

import torch

import memkit


def note_of(make):
    """The note about torch.compile in the plan of a step; None: there is none."""
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    plan = memkit.predict(make(net), device="cpu", path="plan.fb")
    peaks.add(plan.peak_bytes)
    assert len(peaks) == 1, plan
    notes = [note for note in plan.notes if "torch.compile" in note]
    assert len(notes) < 2, plan
    return notes[0] if notes else None


def step_of(call):
    return lambda: call(torch.ones(16, 64)).sum().backward()


peaks = set()
told = "torch.compile: planned as eager; compiled models took 62 to 100.2 % of that, on the CPU"
assert note_of(step_of) is None
assert note_of(lambda net: lambda: step_of(torch.compile(net))()) == told
assert note_of(lambda net: lambda: step_of(torch.compile(dynamic=False)(lambda x: net(x)))()) == told
assert note_of(lambda net: step_of(torch.compile(net))) == told
assert note_of(lambda net: step_of(torch.compile(lambda x: net(x)))) == told


def compiled_in_place(net):
    net.compile()
    return step_of(net)


assert note_of(compiled_in_place) == told
# A compiler that is there and not used is none.
assert note_of(step_of) is None
