# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The objects that a step reaches, and how they were before it."""

import functools
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Tuple

import torch

_MAX_OBJECTS = 200_000
_MAX_ITEMS = 10_000  # of a container, searched for models


class Reached:
    """What a function leads to: models, optimizers, and all objects whose attributes the step may change."""

    def __init__(self, step: Callable[..., Any]) -> None:
        self.modules: List[Any] = []
        self.optimizers: List[Any] = []
        self._restores: List[Callable[[], None]] = []
        self._seen: Dict[int, Any] = {}
        waiting: List[Any] = [step]
        while waiting and len(self._seen) < _MAX_OBJECTS:
            one = waiting.pop()
            if id(one) in self._seen or isinstance(one, (str, bytes, int, float, type, types.ModuleType, type(None))):
                continue
            self._seen[id(one)] = one
            waiting.extend(self._held_by(one))
        inner = {id(m) for module in self.modules for m in module.modules() if m is not module}
        self.roots = [module for module in self.modules if id(module) not in inner]

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
        if isinstance(one, (tuple, set, frozenset)):
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
        names, missing = function.__globals__, object()
        for name in _names(function.__code__):
            value = names.get(name, missing)
            if value is not missing and not _is_of_library(value):
                held.append(value)
                self._restores.append(functools.partial(names.__setitem__, name, value))
        wrapped = getattr(function, "__wrapped__", None)
        return held + ([wrapped] if wrapped is not None else [])

    def _of_instance(self, one: Any) -> List[Any]:
        attributes = getattr(one, "__dict__", None)
        if not isinstance(attributes, dict) or _is_of_python(one):
            return []
        if isinstance(one, torch.nn.Module):
            self.modules.append(one)
        if isinstance(one, torch.optim.Optimizer):
            self.optimizers.append(one)
        self._keep(attributes, dict(attributes), _set_dict)
        return list(attributes.values()) + [type(one).__call__ if callable(one) else None]

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


def _is_of_library(value: Any) -> bool:
    """A function or class of PyTorch, which leads to no object of the program."""
    module = getattr(value, "__module__", None)
    is_code = isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type))
    return is_code and str(module).partition(".")[0] in ("torch", "builtins", "numpy", "memkit")


#: Classes of Python whose objects are a program's data.
_DATA = {"types", "argparse", "collections", "functools"}


def _is_of_python(value: Any) -> bool:
    """A lock, a logger, a file: other threads may use it, and no step leaves a tensor in it."""
    module = type(value).__module__.partition(".")[0]
    return module in getattr(sys, "stdlib_module_names", ("threading", "logging", "queue")) and module not in _DATA


def _set_dict(one: Dict[Any, Any], value: Dict[Any, Any]) -> None:
    if len(one) == len(value) and all(key in one and one[key] is item for key, item in value.items()):
        return
    one.clear()
    one.update(value)


def _set_list(one: List[Any], value: List[Any]) -> None:
    one[:] = value


def _set_cell(cell: Any, value: Any) -> None:
    cell.cell_contents = value


def _set_gradient(tensor: Any, gradient: Any) -> None:
    tensor.grad = gradient
