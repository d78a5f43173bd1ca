# record.py NAME [seen]: three real steps of a model of models.py, to be recorded. seen: without a recorder, prints
# the most bytes of tensors that live at once between operators: the recording has also what kernels need inside.
import gc
import sys
import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

import models


RESIZE = torch.UntypedStorage.resize_
PLAIN = (torch.Tensor, torch.nn.Parameter)


class Seen(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.live, self.bytes, self.peak, self.all = {}, 0, 0, 0
        for one in gc.get_objects():
            if issubclass(type(one), torch.Tensor):
                self.add(one)

    def add(self, tensor):
        if type(tensor) not in PLAIN:
            return
        self.add_storage(tensor.untyped_storage())

    def add_storage(self, storage):
        key, size = storage._cdata, storage.nbytes()
        if key in self.live and self.live[key][1] == size:
            return
        self.gone(key)
        self.live[key] = weakref.ref(storage, lambda _: self.gone(key)), size
        self.bytes += size
        self.all += size
        self.peak = max(self.peak, self.bytes)

    def resize(self, storage, size):
        result = RESIZE(storage, size)
        self.add_storage(storage)
        return result

    def gone(self, key):
        self.bytes -= self.live.pop(key, (None, 0))[1]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(kind not in (*PLAIN, FakeTensor) for kind in types):
            return NotImplemented  # a DTensor calls operators on its parts
        out = func(*args, **(kwargs or {}))
        for one in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(one, torch.Tensor):
                self.add(one)
        return out


def run():
    for _ in range(3):
        step()


step = models.make(sys.argv[1])
if sys.argv[2:] == ["seen"]:
    with Seen() as seen:
        torch.UntypedStorage.resize_ = lambda storage, size: seen.resize(storage, size)
        run()
    print(seen.peak)
else:
    run()
