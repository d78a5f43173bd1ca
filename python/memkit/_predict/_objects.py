# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models and optimizers that a step reaches."""

import collections
import functools
import os
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

import torch

_MAX_OBJECTS = 200_000
_MAX_ITEMS = 10_000  # of a container, searched for models


class Reached:
    """What a function leads to."""

    def __init__(self, step: Callable[..., Any]) -> None:
        self.modules: List[Any] = []
        self.optimizers: List[Any] = []
        self._seen: Dict[int, Any] = {}
        self._walk([step])
        inner = {id(m) for module in self.modules for m in module.modules() if m is not module}
        self.roots = [module for module in self.modules if id(module) not in inner]

    def _walk(self, waiting: List[Any]) -> None:
        while waiting and len(self._seen) < _MAX_OBJECTS:
            one = waiting.pop()
            if id(one) in self._seen or isinstance(one, (str, bytes, int, float, type, types.ModuleType, type(None))):
                continue
            self._seen[id(one)] = one
            waiting.extend(self._held_by(one))

    def _held_by(self, one: Any) -> List[Any]:
        if isinstance(one, torch.Tensor):
            return []
        if isinstance(one, types.FunctionType):
            return self._of_function(one)
        if isinstance(one, types.MethodType):
            return [one.__self__, one.__func__]
        if isinstance(one, functools.partial):
            return [one.func, *one.args, *one.keywords.values()]
        if isinstance(one, dict):
            return list(one.values())[:_MAX_ITEMS]
        if isinstance(one, (list, tuple, set, frozenset, collections.deque)):
            return list(one)[:_MAX_ITEMS]
        return self._of_instance(one)

    def _of_function(self, function: types.FunctionType) -> List[Any]:
        held: List[Any] = list(function.__defaults__ or ()) + list((function.__kwdefaults__ or {}).values())
        for cell in function.__closure__ or ():
            try:
                held.append(cell.cell_contents)
            except ValueError:
                continue
        held += self._of_names(function.__globals__, set(_names(function.__code__)), set())
        wrapped = getattr(function, "__wrapped__", None)
        return held + ([wrapped] if wrapped is not None else [])

    def _of_names(self, space: Dict[str, Any], names: Set[str], seen: Set[int]) -> List[Any]:
        """What code with these names finds in a module, and in modules that it names: ``trainer.model``."""
        held: List[Any] = []
        seen.add(id(space))
        for name in names.intersection(space):
            value = space[name]
            if isinstance(value, types.ModuleType):
                if not _is_library(value.__name__) and id(vars(value)) not in seen:
                    held += self._of_names(vars(value), names, seen)
            elif not _is_of_library(value):
                held.append(value)
        return held

    def _of_instance(self, one: Any) -> List[Any]:
        if _is_of_python(one):
            return []
        held: List[Any] = []
        for kind in type(one).__mro__:
            if not _is_library(kind.__module__):
                held += self._of_slots(one, kind)
                held += self._of_class(kind)
        attributes = getattr(one, "__dict__", None)
        if not isinstance(attributes, dict):
            return held
        if isinstance(one, torch.nn.Module):
            self.modules.append(one)
        if isinstance(one, torch.optim.Optimizer):
            self.optimizers.append(one)
        return held + list(attributes.values())

    def _of_slots(self, one: Any, kind: type) -> List[Any]:
        held = []
        for slot in vars(kind).values():
            if isinstance(slot, types.MemberDescriptorType):
                held.append(getattr(one, slot.__name__, None))
        return held

    def _of_class(self, kind: type) -> List[Any]:
        """The attributes of a class, and what its functions lead to."""
        if id(kind) in self._seen:
            return []
        self._seen[id(kind)] = kind
        held: List[Any] = []
        for value in list(vars(kind).values()):
            if isinstance(value, property):
                held += [value.fget, value.fset]
            else:
                held.append(value.__func__ if isinstance(value, (staticmethod, classmethod)) else value)
        return held

    def tensors(self) -> Iterator[Tuple[Any, str, str]]:
        """The tensors of models and optimizers, with category and layer."""
        for root in self.roots:
            for path, module in root.named_modules():
                layer = path or type(root).__name__
                for tensor in [*module._parameters.values(), *module._buffers.values()]:
                    if tensor is not None:
                        yield tensor, "parameter", layer
        for optimizer in self.optimizers:
            for state in optimizer.state.values():
                for key, value in state.items() if isinstance(state, dict) else ():
                    if isinstance(value, torch.Tensor) and key != "step":
                        yield value, "optimizer-state", ""
        for root in self.roots:
            for parameter in root.parameters():
                if parameter.grad is not None:
                    yield parameter.grad, "gradient", ""


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


_PYTHON = frozenset(getattr(sys, "stdlib_module_names", ("threading", "logging", "queue")))


@functools.lru_cache(maxsize=None)
def _is_python(top: str) -> bool:
    """A top module of Python itself; a program may have a module ``test`` or ``code`` of its own."""
    file = getattr(sys.modules.get(top), "__file__", None)
    return top in _PYTHON and (file is None or file.startswith(os.path.dirname(os.__file__)))


def _is_library(module: Any) -> bool:
    """A module of Python, PyTorch or NumPy, which leads to no object of the program."""
    top = str(module).partition(".")[0]
    return top in ("torch", "builtins", "numpy", "memkit") or _is_python(top)


def _is_of_library(value: Any) -> bool:
    is_code = isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type))
    return is_code and _is_library(getattr(value, "__module__", None))


#: Classes of Python whose objects are a program's data.
_DATA = {"types", "argparse", "collections", "functools"}


def _is_of_python(value: Any) -> bool:
    """A lock, a logger, a file: other threads may use it, and no step leaves a tensor in it."""
    module = type(value).__module__.partition(".")[0]
    return _is_python(module) and module not in _DATA
