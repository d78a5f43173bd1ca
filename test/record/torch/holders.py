# The names that hold tensors and arrays: views, gradients, the state of optimizers, graphs.
# No hook and no subclass of the program is asked.
#
# REQUIRES: python, torch
# RUN: memrec -q -o %t.fb -- %python %s
# RUN: memdump --check %t.fb
import array
import os
import sys

import numpy
import torch

import memkit

torch.set_num_threads(1)
expected = {}


def size(path):
    """A number of bytes of its own, a multiple of 8, for the memory with this path."""
    number = 1_000_000 + 8000 * len(expected)
    expected[number] = path
    return number


def tensor(path):
    return torch.zeros(size(path) // 4)


class Rude(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args, **kwargs):
        os.abort()


plain = {"a": tensor("holders.plain['a']")}
whole = numpy.zeros(size("holders.pieces[0].base") // 8)
pieces = [whole[5:10]]
del whole
views = [tensor("holders.views[0]")[5:10]]
# A list tells its last item first.
shared = [tensor("holders.shared[1]")]
shared.append(shared[0].view(4, -1))
objects = numpy.array([None, None], dtype=object)
objects[1] = bytes(size("holders.objects[1]"))
numbers = array.array("d", bytes(size("holders.numbers")))
rude = tensor("holders.rude").as_subclass(Rude)
storage = tensor("holders.storage").untyped_storage()

weight = torch.nn.Parameter(tensor("holders.weight"))
weight.grad = torch.zeros_like(weight)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(1, size("holders.model.head[1].weight") // 4, bias=False))
        self.register_buffer("mask", tensor("holders.model.mask"))


model = Net()
trained = torch.nn.Parameter(tensor("holders.trained"))
optimizer = torch.optim.SGD([trained], lr=0.1, momentum=0.9)
trained.grad = torch.ones_like(trained)
optimizer.step()
trained.grad = None

small = torch.ones(1, requires_grad=True)
losses = []


def forward():
    inner = (small * tensor("holders.losses[0].grad_fn")).sum()
    return inner * 2


losses.append(forward())


def packed():
    with torch.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda t: os.abort()):
        return (small * tensor(None)).sum()


hooked = packed()


def runs():
    local = tensor("holders.runs():local")
    return memkit.holders(limit=20), local


found, _ = runs()
# Gradients and states have the sizes of their parameters.
beside = {
    "holders.weight": ["holders.weight.grad"],
    "holders.trained": ["holders.optimizer.state[<Parameter>]['momentum_buffer']"],
}
bad = 0
for number, path in expected.items():
    got = [one for one in found if number <= one.bytes < number + 100]
    paths = [path] + beside.get(path, [])
    # What a hook has packed is reached through the hook alone.
    ok = path is None or sorted(one.path for one in got) == sorted(paths)
    if not ok:
        bad += 1
        print("expected", path, "got", got)
print(len(expected) - bad, "of", len(expected), "are right")
sys.exit(bad != 0)
