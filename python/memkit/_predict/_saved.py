# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of torch.save and pickle in a plan: tensors are written as shapes and types, and are read as new ones."""

import contextlib
import os
import pickle
from typing import Any, Iterator

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ._cuda import replaced

#: Of the files of this process alone: a file of others never passes by the checks of torch.load.
_MARK = b"memkit: a plan's tensors have no values " + os.urandom(16) + b"\n"
_load: Any = torch.load


def _made(shape: Any, stride: Any, dtype: Any, requires_grad: bool, is_parameter: bool, values: Any) -> Any:
    if values is not None:
        return torch.tensor(values, dtype=dtype).reshape(shape)
    tensor = torch.empty_strided(shape, stride, dtype=dtype)
    return torch.nn.Parameter(tensor, requires_grad) if is_parameter else tensor.requires_grad_(requires_grad)


def _reduced(tensor: Any, protocol: int = 2) -> Any:
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    constant = getattr(tensor, "constant", None)
    values = None if constant is None else constant.tolist()
    size = tuple(tensor.shape), tuple(tensor.stride())
    return _made, (*size, tensor.dtype, tensor.requires_grad, is_parameter, values)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        is_plain = isinstance(value, torch.Tensor) and value.layout is torch.strided
        return _reduced(value) if is_plain else NotImplemented


def _saved(obj: Any, f: Any, *args: Any, **options: Any) -> None:
    with contextlib.ExitStack() as stack:
        file = f if hasattr(f, "write") else stack.enter_context(open(f, "wb"))
        file.write(_MARK)
        _Pickler(file).dump(obj)


def _loaded(f: Any, *args: Any, **options: Any) -> Any:
    with contextlib.ExitStack() as stack:
        file = f if hasattr(f, "read") else stack.enter_context(open(f, "rb"))
        start = file.tell()
        if file.read(len(_MARK)) == _MARK:
            return pickle.load(file)
        file.seek(start)
    return _load(f, *args, **options)


@contextlib.contextmanager
def without_values() -> Iterator[None]:
    """torch.save, torch.load and pickle of a plan."""
    with replaced(torch, "save", _saved), replaced(torch, "load", _loaded):
        with replaced(FakeTensor, "__reduce_ex__", _reduced):
            yield
