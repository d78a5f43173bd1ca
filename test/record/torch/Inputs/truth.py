# What a model's tensors are of, by hooks of Python: truth.run(step, roots, steps, path)
# runs step() so many times and writes how many allocations there were of each
# [phase, layer, operator, bytes].
#
# In forward the layer is that of hooks around modules. A node of autograd is of the
# module in which it was made: after each module, what its outputs' graph has that no
# module inside of it had. Operators are seen below autograd.
import collections
import json

import torch
from torch.nn.modules import module as modules
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

names = {}  # by id of a module
running = []  # modules
nodes = []  # layers of the nodes of autograd that run
counts = collections.Counter()
in_optimizer = False
wanted = False  # is anybody to be told


def name(roots):
    """As they are named in a trace: see memrec's page."""
    taken = set()
    for root in roots:
        mine = set()
        for path, module in root.named_modules():
            text = path or type(root).__name__
            if path and text in taken:
                text = type(root).__name__ + "." + path
            names[id(module)] = text
            mine.add(text)
        taken |= mine


def mark(value, layer):
    """The nodes that lead to a tensor and are nobody's yet are the layer's."""
    if not wanted:
        return
    todo = [t.grad_fn for t in tree_leaves(value) if isinstance(t, torch.Tensor)]
    while todo:
        node = todo.pop()
        if node is None or "memkit" in node.metadata or "AccumulateGrad" in node.name():
            continue
        node.metadata["memkit"] = layer
        node.register_prehook(lambda grads: nodes.append(layer))
        node.register_hook(lambda inputs, outputs: nodes.pop() and None)
        todo += [n for n, _ in node.next_functions]


def before(module, inputs):
    mark(inputs, running[-1] if running else None)
    running.append(names.get(id(module)))


def after(module, inputs, output):
    mark(output, running.pop())


class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        given = {t.untyped_storage().data_ptr() for t in tree_leaves((args, kwargs or {}))
                 if isinstance(t, torch.Tensor)}
        result = function(*args, **(kwargs or {}))
        if nodes:
            phase, layer = ("recompute", running[-1]) if running else ("backward", nodes[-1])
        else:
            phase, layer = "forward", running[-1] if running else None
        if in_optimizer:
            layer = None
        for t in tree_leaves(result):
            if isinstance(t, torch.Tensor) and layer:
                storage = t.untyped_storage()
                if storage.nbytes() and storage.data_ptr() not in given:
                    given.add(storage.data_ptr())
                    counts[phase, layer, function._schema.name, storage.nbytes()] += 1
        return result


def run(step, roots, steps, path):
    global wanted
    wanted = True
    name(roots)
    modules.register_module_forward_pre_hook(before)
    modules.register_module_forward_hook(after, always_call=True)
    with Operators():
        for _ in range(steps):
            step()
    with open(path, "w") as file:
        json.dump([list(k) + [n] for k, n in counts.items()], file)
