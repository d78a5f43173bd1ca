# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The objects that a step reaches, and how they were before it."""

import collections
import contextlib
import functools
import gc
import os
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

import torch

_MAX_OBJECTS = 200_000
_MAX_ITEMS = 10_000  # of a container, searched for models
_MISSING: Any = object()


class Reached:
    """What a function leads to: models, optimizers, and all objects that the step may change.

    Where code hides how it finds a model or an optimizer (by a registry, or an extension), that is restored, too.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        self.modules: List[Any] = []
        self.optimizers: List[Any] = []
        self._restores: List[Callable[[], None]] = []
        self._seen: Dict[int, Any] = {}
        self._walk([step])
        inner = {id(m) for module in self.modules for m in module.modules() if m is not module}
        self.roots = [module for module in self.modules if id(module) not in inner]
        # The others are no part of the plan.
        planned = self.modules, self.optimizers
        self.modules, self.optimizers = [], []
        kinds = (torch.nn.Module, torch.optim.Optimizer)
        self._walk([one for one in gc.get_objects() if issubclass(type(one), kinds)])
        self.modules, self.optimizers = planned

    def _walk(self, waiting: List[Any]) -> None:
        while waiting and len(self._seen) < _MAX_OBJECTS:
            one = waiting.pop()
            if id(one) in self._seen or isinstance(one, (str, bytes, int, float, type, types.ModuleType, type(None))):
                continue
            self._seen[id(one)] = one
            waiting.extend(self._held_by(one))

    def _held_by(self, one: Any) -> List[Any]:
        if isinstance(one, torch.Tensor):
            self._keep_gradient(one)
            return []
        if isinstance(one, types.FunctionType):
            return self._of_function(one)
        if isinstance(one, types.MethodType):
            return [one.__self__, one.__func__]
        if isinstance(one, functools.partial):
            return [one.func, *one.args, *one.keywords.values()]
        if isinstance(one, dict):
            self._keep(one, dict(one), _set_dict)
            return list(one.values())[:_MAX_ITEMS]
        if isinstance(one, list):
            self._keep(one, list(one), _set_list)
            return one[:_MAX_ITEMS]
        if isinstance(one, set):
            self._keep(one, set(one), _set_set)
        elif isinstance(one, collections.deque):
            self._keep(one, list(one), _set_deque)
        if isinstance(one, (tuple, set, frozenset, collections.deque)):
            return list(one)[:_MAX_ITEMS]
        return self._of_instance(one)

    def _of_function(self, function: types.FunctionType) -> List[Any]:
        held: List[Any] = list(function.__defaults__ or ()) + list((function.__kwdefaults__ or {}).values())
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            held.append(value)
            self._keep(cell, value, _set_cell)
        names = set(_names(function.__code__))
        if not _is_of_library(function):
            for name in names.difference(function.__globals__):
                self._keep(function.__globals__, (name, _MISSING), _set_name)
        held += self._of_names(function.__globals__, names, set())
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
                self._keep(space, (name, value), _set_name)
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
        self._keep(attributes, dict(attributes), _set_dict)
        return held + list(attributes.values())

    def _of_slots(self, one: Any, kind: type) -> List[Any]:
        held = []
        for slot in vars(kind).values():
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    value = slot.__get__(one, kind)
                except AttributeError:
                    value = _MISSING
                held.append(value)
                self._keep(one, (slot, value), _set_slot)
        return held

    def _of_class(self, kind: type) -> List[Any]:
        """The attributes of a class, and what its functions lead to."""
        if id(kind) in self._seen:
            return []
        self._seen[id(kind)] = kind
        attributes = dict(vars(kind))
        self._keep(kind, attributes, _set_class)
        held: List[Any] = []
        for value in attributes.values():
            if isinstance(value, property):
                held += [value.fget, value.fset]
            else:
                held.append(value.__func__ if isinstance(value, (staticmethod, classmethod)) else value)
        return held

    def _keep_gradient(self, tensor: Any) -> None:
        if tensor.is_leaf and tensor.requires_grad:
            self._keep(tensor, tensor.grad, _set_gradient)
            if tensor.grad is not None:
                self._seen[id(tensor.grad)] = tensor.grad

    def _keep(self, one: Any, value: Any, restore: Callable[[Any, Any], None]) -> None:
        self._restores.append(functools.partial(restore, one, value))

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

    def restore(self) -> None:
        """Gives all objects the attributes, items and gradients that they had."""
        for one in reversed(self._restores):
            one()
        self._restores.clear()


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


def _set_dict(one: Dict[Any, Any], value: Dict[Any, Any]) -> None:
    if len(one) == len(value) and all(key in one and one[key] is item for key, item in value.items()):
        return
    one.clear()
    one.update(value)


def _set_list(one: List[Any], value: List[Any]) -> None:
    one[:] = value


def _set_set(one: Set[Any], value: Set[Any]) -> None:
    one.intersection_update(value)
    one.update(value)


def _set_deque(one: Any, value: List[Any]) -> None:
    one.clear()
    one.extend(value)


def _set_name(space: Dict[str, Any], item: Tuple[str, Any]) -> None:
    name, value = item
    if value is _MISSING:
        space.pop(name, None)
    else:
        space[name] = value


def _set_slot(one: Any, item: Tuple[Any, Any]) -> None:
    slot, value = item
    if value is not _MISSING:
        slot.__set__(one, value)
    elif hasattr(one, slot.__name__):
        slot.__delete__(one)


def _set_class(kind: type, attributes: Dict[str, Any]) -> None:
    changed = {name: value for name, value in attributes.items() if vars(kind).get(name, _MISSING) is not value}
    with contextlib.suppress(AttributeError, TypeError):  # of an extension, which only itself can change
        for name in vars(kind).keys() - attributes.keys():
            delattr(kind, name)
        for name, value in changed.items():
            setattr(kind, name, value)


def _set_cell(cell: Any, value: Any) -> None:
    cell.cell_contents = value


def _set_gradient(tensor: Any, gradient: Any) -> None:
    tensor.grad = gradient
