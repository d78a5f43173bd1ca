# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Alerts: what the program does when memory gets scarce.

The recorder watches the conditions; nothing runs in the program until one
holds. Then the program acts where it says that it can: in step() and check().
"""

import sys
import time
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from . import _native
from ._stats import Stats, ask

_library = _native.library


class Alert(NamedTuple):
    """A condition that has begun to hold."""

    condition: str
    #: bytes, of growth bytes a second or a step, a count, or millionths of fragmentation
    value: int
    #: the bound that value is above, in the same unit
    bound: int


class _Watched:
    __slots__ = ("number", "condition", "callback", "seen")

    def __init__(self, number: int, condition: str, callback: Callable[[Alert], Any]) -> None:
        self.number = number
        self.condition = condition
        self.callback = callback
        self.seen = 0


class _Snapshots:
    """A callback for the numbers of the program, now and then."""

    __slots__ = ("callback", "every", "due")

    def __init__(self, callback: Callable[[Stats], Any], every: float) -> None:
        self.callback = callback
        self.every = every
        self.due = time.monotonic() + every

    def pass_on(self) -> None:
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + self.every
        stats = ask(0)
        if stats is not None:
            self.callback(stats)


#: What step() and check() look at; of Any the collectors of _device, which this file does not import.
watched: List[Union[_Watched, _Snapshots, Any]] = []
_is_checking = False


def alert(condition: str, callback: Callable[[Alert], Any]) -> bool:
    """Calls callback(Alert) each time that a condition begins to hold.

    The condition is in the grammar of ``memrec --alert``: ``host:live>2GiB``,
    ``cuda:0:used>90%``, ``rss>80%``, ``growth>1MiB/min``. The callback runs in the
    thread that calls memkit.step() or memkit.check(), never elsewhere. False when the
    process is not recorded, or has 32 alerts already.
    """
    if _library is None:
        return False
    text = _native.encoded(condition)
    number = _library.memrec_alert(text, len(text))
    if not number:
        return False
    watched.append(_Watched(number, condition, callback))
    return True


def on_snapshot(callback: Callable[[Stats], Any], every: float = 1.0) -> bool:
    """Calls callback(Stats) with what memkit.stats() says, at most once in `every` seconds.

    The callback runs in the thread that calls memkit.step() or memkit.check(), never elsewhere: at the
    first of them after the time, and not in between. Asking the recorder takes some 2 ms. A
    recorder that does not answer is asked again after the time. False when the process is not recorded;
    ValueError when every is no positive number.
    """
    if not every > 0:
        raise ValueError(f"every is a number of seconds above 0, not {every!r}")
    if _library is None:
        return False
    watched.append(_Snapshots(callback, every))
    return True


def check() -> None:
    """Runs the callbacks of alerts that have come since the last step() or check(), of snapshots, and collectors.

    Without an alert, this takes a fraction of a microsecond. Does nothing while a CUDA graph is
    captured, and inside a callback.
    """
    global _is_checking
    if not watched or _is_checking or _library is None or _captures():
        return
    import ctypes

    _is_checking = True
    try:
        values = (ctypes.c_uint64 * 2)()
        for one in list(watched):
            if not isinstance(one, _Watched):
                one.pass_on()
                continue
            count = _library.memrec_alerted(one.number, ctypes.byref(values))
            if count > one.seen:
                one.seen = count
                one.callback(Alert(one.condition, values[0], values[1]))
    finally:
        _is_checking = False


def _captures() -> bool:
    """Whether this thread captures a CUDA graph: nothing may be freed then."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not getattr(cuda, "is_initialized", bool)():
        return False
    return bool(cuda.is_current_stream_capturing())


def watchdog(
    limit: str = "90%",
    clean: Union[Callable[[], Any], Sequence[Callable[[], Any]]] = (),
    conditions: Optional[Sequence[str]] = None,
) -> bool:
    """Cleans up when memory gets scarce.

    Without conditions: when resident memory of the program is above limit (of the control
    group's limit, else of the machine), or the used memory of any CUDA device is (of the
    device). Then calls each function of clean, in order, at the next step() or check(), and puts
    a mark into the trace that says what each gave back. A function that raises ends the others.
    False when the process is not recorded.
    """
    functions = [clean] if callable(clean) else list(clean)
    if conditions is None:
        conditions = (f"rss>{limit}", f"cuda:*:used>{limit}")

    def act(what: Alert) -> None:
        said = []
        before = _held()
        for function in functions:
            function()
            now = _held()
            said.append(f"{_name(function)} gave back {_size(before - now)}")
            before = now
        from ._program import mark

        mark(f"watchdog: {what.condition}: " + (", ".join(said) or "nothing to clean"))

    return all([alert(condition, act) for condition in conditions])


def _name(function: Callable[[], Any]) -> str:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    return f"{module}.{name}" if module and module != "__main__" else str(name)


def _held() -> int:
    """Live bytes of the host, and what PyTorch's allocators hold of devices."""
    now = ask(0)
    held = now.total.after if now is not None else 0
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and getattr(cuda, "is_initialized", bool)():
        held += sum(cuda.memory_reserved(device) for device in range(cuda.device_count()))
    return held


def _size(size: int) -> str:
    if size < 0:
        return "-" + _size(-size)
    value = float(size)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} GiB"
