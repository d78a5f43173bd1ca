# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program reads of tensors without values: numbers, lists, arrays, copies."""

import contextlib
import copy
import dis
import functools
import linecache
import numbers
import operator
import re
import sys
from typing import Any, Callable, Dict, FrozenSet, Iterator, List

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._mode_utils import no_dispatch

from . import PredictionError
from ._frames import Frames, text_of

_DATA = "utils/data/"
_CALLS_INT = re.compile(r"(?<![\w.])int\(")
NO_SIZE = (
    "the program uses a number that it reads of a tensor as a size or a slice's end, and a plan has no values; give the "
    "number to the step, or use a fixed size"
)


class UnknownNumber:
    """An integer that depends on values: 1, for counts and prints. As an index it takes the first element; it is no
    size and no end of a slice."""

    __slots__ = ("value", "where")

    def __init__(self, value: Any, where: str) -> None:
        self.value = value
        #: The line that has read it.
        self.where = where

    def __index__(self) -> int:
        caller = sys._getframe(1)
        if caller.f_lasti in _subscripts(caller.f_code):
            return 0  # of a list of words, or a tensor: the size is the same for each
        raise PredictionError(f"{self.where}: {NO_SIZE}")

    def __int__(self) -> int:
        # "%d" asks for it, and int(), whose result may be a size.
        caller = sys._getframe(1)
        if _CALLS_INT.search(linecache.getline(caller.f_code.co_filename, caller.f_lineno)):
            raise PredictionError(f"{self.where}: {NO_SIZE}")
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        return str(self.value)

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(self.value, form)

    def __reduce__(self) -> Any:
        return type(self.value), (self.value,)


numbers.Real.register(UnknownNumber)


@functools.lru_cache(maxsize=256)
def _subscripts(code: Any) -> FrozenSet[int]:
    """Where a function takes an element by its index, and not a slice."""
    found, before = set(), ""
    for one in dis.get_instructions(code):
        takes = one.opname in ("BINARY_SUBSCR", "STORE_SUBSCR") or one.opname == "BINARY_OP" and one.argrepr == "[]"
        if takes and before not in ("BUILD_SLICE", "BUILD_TUPLE"):
            found.add(one.offset)
        before = one.opname
    return frozenset(found)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, UnknownNumber) else value


def _result(value: Any, where: str) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return UnknownNumber(value, where) if is_number else value


def _unary(function: Callable[..., Any]) -> Any:
    return lambda self, *more: _result(function(self.value, *more), self.where)


def _binary(function: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: _result(function(self.value, _plain(other)), self.where)


def _reflected(function: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: _result(function(_plain(other), self.value), self.where)


for _name in ("neg", "pos", "abs"):
    setattr(UnknownNumber, f"__{_name}__", _unary(getattr(operator, _name)))
for _name in ("round", "floor", "ceil", "trunc"):
    setattr(UnknownNumber, f"__{_name}__", _unary(lambda value, *more, name=_name: getattr(value, f"__{name}__")(*more)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(UnknownNumber, f"__{_name}__", _binary(getattr(operator, _name)))
    setattr(UnknownNumber, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(UnknownNumber, f"__{_name}__", _binary(getattr(operator, _name)))


class Values:
    """Gives the program something for values, for the time of a plan, and remembers where."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        #: Lines that read integers, and lines that read arrays.
        self.integers: Dict[str, None] = {}
        self.arrays: Dict[str, None] = {}
        self._item: Any = FakeTensor.item
        self._tolist: Any = FakeTensor.tolist
        self._int: Any = FakeTensor.__int__

    def notes(self) -> List[str]:
        return [
            *(f"the integer that {line} reads was taken as 1" for line in self.integers),
            *(f"the values of the array at {line} were taken as zeros" for line in self.arrays),
        ]

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        given: Dict[str, Callable[..., Any]] = {
            "item": self.item,
            "tolist": self.tolist,
            "numpy": self.numpy,
            "__int__": self.as_int,
            "__deepcopy__": _copied,
        }
        before = {name: FakeTensor.__dict__.get(name) for name in given}
        for name, method in given.items():
            setattr(FakeTensor, name, _method(method))
        try:
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    delattr(FakeTensor, name)
                else:
                    setattr(FakeTensor, name, old)

    def item(self, tensor: Any) -> Any:
        if tensor.constant is not None and tensor.numel() == 1:
            return _known(tensor, "item")
        if tensor.numel() != 1 or not _is_integer(tensor) or self._frames.is_called_by(""):
            return self._item(tensor)
        return self._integer()

    def _integer(self) -> UnknownNumber:
        where = text_of(self._frames.line())
        self.integers.setdefault(where, None)
        return UnknownNumber(1, where)

    def as_int(self, tensor: Any) -> Any:
        """A truth as a number counts, and "%d" prints; else the number may be a size."""
        if tensor.numel() != 1 or tensor.constant is not None or self._frames.is_called_by(""):
            return self._int(tensor)
        if tensor.dtype is torch.bool or _is_integer(tensor) and not self._calls_int():
            return self._integer().value
        return self._int(tensor)

    def _calls_int(self) -> bool:
        line = self._frames.line()
        return line is None or bool(_CALLS_INT.search(linecache.getline(line[1], line[2])))

    def tolist(self, tensor: Any) -> Any:
        """Element by element, a list of a large tensor would take minutes."""
        if tensor.constant is not None:
            return _known(tensor, "tolist")
        if self._frames.is_called_by(_DATA):
            return _nested(list(tensor.shape), 0)
        if tensor.numel() and _is_integer(tensor):
            return _nested(list(tensor.shape), self._integer())
        if tensor.numel() and tensor.dtype.is_floating_point:
            first = tensor.reshape(-1)[0].item()
            return _nested(list(tensor.shape), first)
        return self._tolist(tensor)

    def numpy(self, tensor: Any, *, force: bool = False) -> Any:
        if tensor.requires_grad and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        import numpy

        if tensor.constant is not None:
            return _known(tensor, "numpy").copy()
        name = str(tensor.dtype).replace("torch.", "")
        if not hasattr(numpy, "bool_" if name == "bool" else name):
            raise TypeError(f"NumPy has no {name}")
        kind = numpy.dtype(name)
        self.arrays.setdefault(text_of(self._frames.line()), None)
        return numpy.zeros(tuple(tensor.shape), kind)


def _method(function: Callable[..., Any]) -> Any:
    def method(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        return function(tensor, *args, **kwargs)

    return method


def _is_integer(tensor: Any) -> bool:
    kind = tensor.dtype
    return not (kind.is_floating_point or kind.is_complex or kind is torch.bool)


def _known(tensor: Any, method: str) -> Any:
    """What a method answers of the values that a fake tensor has."""
    with no_dispatch():
        return getattr(tensor.constant, method)()


def _nested(shape: List[int], value: Any) -> Any:
    if not shape:
        return value
    if len(shape) == 1:
        return [value] * shape[0]
    return [_nested(shape[1:], value) for _ in range(shape[0])]


def _copied(tensor: Any, memo: Any) -> Any:
    """As Tensor.__deepcopy__(), which fails for a tensor whose value is known."""
    if id(tensor) in memo:
        return memo[id(tensor)]
    if not tensor.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user support the deepcopy protocol at the moment.")
    with torch.no_grad():
        result = tensor.detach().clone()
    if tensor.constant is not None:
        result.constant = _known(tensor, "clone")
    if isinstance(tensor, torch.nn.Parameter):
        result = torch.nn.Parameter(result, tensor.requires_grad)
    elif tensor.requires_grad:
        result.requires_grad_()
    memo[id(tensor)] = result
    if tensor.grad is not None:
        result.grad = copy.deepcopy(tensor.grad, memo)
    return result
