# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that autograd's engine adds.

The engine adds into the first gradient where nothing else refers to it, but never into a tensor of a subclass or under
a mode. A plan adds as the engine would with real tensors, else each such sum were a tensor more.
"""

import functools
import sys
from types import FrameType
from typing import Any, Tuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

ADD: Any = torch.ops.aten.add.Tensor
_ENGINE = "_engine_run_backward"


def _counts(args: Any, number: int) -> Tuple[int, int]:
    """The references to an argument, in C++ and in Python."""
    return args[number]._use_count(), sys.getrefcount(args[number])


def accumulates(args: Any, caller: FrameType) -> bool:
    """Whether autograd's engine adds two gradients, and would add in place if they were no fake tensors."""
    if caller.f_code.co_name != _ENGINE or not isinstance(args[1], torch.Tensor):
        return False
    return args[0].shape == args[1].shape and (_is_free(args, 0) or _is_free(args, 1))


def added(args: Any) -> Any:
    """The sum, in the memory of a gradient that nobody else has."""
    one, other = (args[0], args[1]) if _is_free(args, 0) else (args[1], args[0])
    return torch.ops.aten.add_.Tensor(one, other)


def _is_free(args: Any, number: int) -> bool:
    """Nobody but the engine has this gradient, and its memory is all its own."""
    one = args[number]
    has_all = one.numel() * one.element_size() == one.untyped_storage().nbytes()
    return has_all and all(count <= free for count, free in zip(_counts(args, number), free_counts()))


class _CountingMode(TorchDispatchMode):  # type: ignore[misc, no-untyped-call, unused-ignore]
    """Finds what _counts() gives of a gradient that only the engine has."""

    found = (0, 0)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = args, kwargs or {}
        args, kwargs = given
        if func is ADD and sys._getframe(1).f_code.co_name == _ENGINE:
            self.found = self._count(args, sys._getframe(1))
        return func(*args, **kwargs)

    def _count(self, args: Any, caller: FrameType) -> Tuple[int, int]:
        return _counted(args, 0)


def _counted(args: Any, number: int) -> Tuple[int, int]:
    """As deep as _is_free(), which holds a reference more."""
    one = args[number]
    del one
    counts = _counts(args, number)
    return counts[0], counts[1] + 1


@functools.lru_cache(maxsize=None)
def free_counts() -> Tuple[int, int]:
    """What _counts() gives of a gradient that only the engine has; of this version of PyTorch."""
    with torch.enable_grad(), torch.autograd.set_multithreading_enabled(False):
        mode: Any = _CountingMode()  # type: ignore[no-untyped-call, unused-ignore]
        with mode:
            one = torch.zeros(2, requires_grad=True) * 2
            torch.autograd.backward((one.sin() + one.cos()).sum())
    found: Tuple[int, int] = mode.found
    return found
