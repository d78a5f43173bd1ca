# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimizers of a plan: each makes its state in its first step, and L-BFGS more of it in each."""

import weakref
from typing import Any, Dict, Iterator, List

import torch

#: A plan makes so many times the steps that were asked for, where an optimizer waits for its own.
MAX_MORE = 20


class _Known:
    """An optimizer, as the answer calls it."""

    def __init__(self, optimizer: Any, name: str) -> None:
        self.reference = weakref.ref(optimizer)
        self.name = name
        self.steps = 0


class Optimizers:
    """Those of a plan, by their id."""

    def __init__(self) -> None:
        self._known: Dict[int, _Known] = {}
        #: Steps of all of them.
        self.steps = 0

    def add(self, optimizer: Any, name: str) -> None:
        """One that the program may use from now on."""
        self._known[id(optimizer)] = _Known(optimizer, name)

    def stepped(self, optimizer: Any) -> None:
        """An optimizer has made a step."""
        known = self._known.get(id(optimizer))
        if known is None or known.reference() is not optimizer:
            known = self._known[id(optimizer)] = _Known(optimizer, f"the {type(optimizer).__name__}")
        known.steps += 1
        self.steps += 1

    def steps_of(self, optimizer: Any) -> int:
        """All steps of one."""
        return self._known[id(optimizer)].steps

    def wait(self, steps: int) -> bool:
        """Whether any has made fewer steps, or has a history that grows."""
        return any(_has_state(one) and known.steps < steps or _grows(one) for one, known in self._alive())

    def lacks(self, steps: int) -> List[str]:
        """What the plan does not have after so many steps, a sentence each."""
        found = []
        for one, known in self._alive():
            if not known.steps and not one.state and _has_state(one):
                found.append(f"{known.name} made no step in {steps} steps; its state is not in the plan")
            elif _grows(one):
                entries = f"{_entries(one)} of {one.param_groups[0]['history_size']} entries"
                found.append(f"the history of {known.name} has {entries} in the plan")
        return found

    def _alive(self) -> Iterator[Any]:
        for known in self._known.values():
            optimizer = known.reference()
            if optimizer is not None:
                yield optimizer, known


def _has_state(optimizer: Any) -> bool:
    is_plain = type(optimizer) is torch.optim.SGD
    return not (is_plain and all(not group["momentum"] for group in optimizer.param_groups))


def _entries(optimizer: Any) -> int:
    return max((len(state.get("old_dirs") or ()) for state in optimizer.state.values()), default=0)


def _grows(optimizer: Any) -> bool:
    if not isinstance(optimizer, torch.optim.LBFGS) or not optimizer.state:
        return False
    return _entries(optimizer) < int(optimizer.param_groups[0]["history_size"])
