# categories.py SHAPE STEPS OUT: trains a small model of that shape (shapes.py) and writes
# how many blocks, and bytes, are parameters, gradients and the optimizer's state, as
# the model's and optimizers' own tensors say, at moments of the last step. At each
# memory is asked for that nobody has, so that the trace says what lives then.
import gc
import json
import sys

import torch

import shapes

shape, steps, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
moments = []


def blocks(tensors):
    """Each block once: several tensors may lie in it."""
    found = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return [len(found), sum(found.values())]


def look(name):
    gc.collect()
    parameters = [p for m in roots for p in m.parameters()]
    moments.append({
        "name": name,
        "parameter": blocks(parameters + [b for m in roots for b in m.buffers()]),
        "gradient": blocks(p.grad for p in parameters if p.grad is not None),
        "optimizer-state": blocks(t for o in optimizers for s in o.state.values()
                                  for t in s.values() if isinstance(t, torch.Tensor)),
    })
    try:
        torch.empty(1 << 50, dtype=torch.uint8)
    except RuntimeError:
        pass


step, roots, optimizers = shapes.make(shape)
# Which tensors that they did not make are a module's and an optimizer's own is known
# only when these have run.
if shape not in ("Raw", "Accumulated"):
    look("made")
for _ in range(steps - 1):
    step()
step(look)
look("end")
json.dump(moments, open(path, "w"))
