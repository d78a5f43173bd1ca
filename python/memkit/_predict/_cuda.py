# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.cuda answers about a device that is planned, in a build or on a machine without CUDA."""

import contextlib
import sys
from types import FrameType, SimpleNamespace
from typing import Any, Callable, Iterator

import torch


@contextlib.contextmanager
def replaced(of: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(of, name, None)
    if before is None:
        yield
        return
    setattr(of, name, value)
    try:
        yield
    finally:
        setattr(of, name, before)


class _PlannedEvent:
    """In place of torch.cuda.Event; no time passes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def record(self, stream: Any = None) -> None:
        pass

    def wait(self, stream: Any = None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, other: Any) -> float:
        return 0.0


def _nothing(*args: Any, **options: Any) -> None:
    pass


@contextlib.contextmanager
def cuda_answers(device_bytes: int, asked: Callable[[FrameType], None]) -> Iterator[None]:
    """asked() hears who asks whether there is a device: the answer stays no."""
    properties = SimpleNamespace(name="planned", total_memory=device_bytes)
    parse: Any = torch._C._nn._parse_to
    is_available = torch.cuda.is_available

    def parse_to(*args: Any, **options: Any) -> Any:
        """The numbers of devices, which PyTorch looks up."""
        return parse(*map(_as_device, args), **{name: _as_device(one) for name, one in options.items()})

    def available() -> bool:
        asked(sys._getframe(1))
        return is_available()

    answers = {
        "is_available": available,
        "set_device": _nothing,
        "synchronize": _nothing,
        "reset_peak_memory_stats": _nothing,
        "current_device": lambda: 0,
        "get_device_name": lambda device=None: properties.name,
        "get_device_properties": lambda device=None: properties,
        "mem_get_info": lambda device=None: (device_bytes, device_bytes),
        "Event": _PlannedEvent,
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(replaced(torch._C._nn, "_parse_to", parse_to))
        for name, answer in answers.items():
            stack.enter_context(replaced(torch.cuda, name, answer))
        yield


def _as_device(value: Any) -> Any:
    return torch.device("cuda", value) if isinstance(value, int) and not isinstance(value, bool) else value
