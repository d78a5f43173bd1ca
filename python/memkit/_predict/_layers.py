# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeated layers of a model, and what may be changed about a step."""

import functools
import weakref
from typing import Any, Dict, Generic, List, NamedTuple, Optional, Set, Tuple, TypeVar

import torch
from torch.utils.checkpoint import checkpoint


class Change(NamedTuple):
    """What a plan does in another way than the program."""

    #: Layers of this group keep their inputs alone, and run again in backward; empty: those of all groups.
    checkpoint: Optional[str] = None
    #: As if the optimizer kept its states in 16 bits.
    halves_states: bool = False


_Value = TypeVar("_Value")


class OfModules(Generic[_Value]):
    """A value for each module. It keeps no module: a program drops models, and makes others."""

    def __init__(self) -> None:
        self._of: Dict[int, Tuple[Any, _Value]] = {}

    def get(self, module: Any) -> Optional[_Value]:
        reference, value = self._of.get(id(module), (None, None))
        return value if reference is not None and reference() is module else None

    def setdefault(self, module: Any, value: _Value) -> _Value:
        known = self.get(module)
        if known is None:
            self._of[id(module)] = weakref.ref(module), value
        return value if known is None else known


class Group(NamedTuple):
    """Layers of one kind that have layers of their own, in one module."""

    #: ``blocks``: the module's path.
    name: str
    layers: List[Any]


def groups_of(root: Any, name: str) -> List[Group]:
    """The groups of a model, outermost alone: layers inside of a group belong to it."""
    groups: List[Group] = []
    _collect(root, name, groups, set())
    return groups


def _collect(module: Any, name: str, groups: List[Group], seen: Set[int]) -> None:
    if id(module) in seen:
        return
    seen.add(id(module))
    children = list(module.named_children())
    by_kind: Dict[type, List[Any]] = {}
    for _, child in children:
        if not isinstance(child, (torch.nn.ModuleList, torch.nn.ModuleDict)) and any(True for _ in child.children()):
            by_kind.setdefault(type(child), []).append(child)
    for layers in by_kind.values():
        if len(layers) > 1:
            groups.append(Group(name or type(module).__name__, layers))
    taken = {id(layer) for group in groups for layer in group.layers}
    for path, child in children:
        if id(child) not in taken:
            _collect(child, f"{name}.{path}" if name else path, groups, seen)


def keep_inputs_alone(layers: List[Any]) -> None:
    """Sets the layers' own forward."""
    for layer in layers:
        layer.forward = functools.partial(checkpoint, layer.forward, use_reentrant=False)
