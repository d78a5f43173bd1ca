# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices and allocators that only the program knows.

What a collector tells of a device, and the blocks of an allocator of the program's own.
"""

import time
import warnings
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

from . import _alert, _native

_library = _native.library
_UNKNOWN = 2**64 - 1
_MOST = 2**48 - 1


class DeviceSample(NamedTuple):
    """The memory of a device at a moment, in bytes; None: not known."""

    used: Optional[int] = None  #: by all processes
    total: Optional[int] = None  #: the device's memory
    allocated: Optional[int] = None  #: given out by the program's allocator
    reserved: Optional[int] = None  #: taken from the device by this allocator


#: What sample() of a collector may give: None is "nothing now".
Sampled = Union[DeviceSample, Mapping[str, Optional[int]], None]


class _Collector:
    """A device whose memory the program tells."""

    __slots__ = ("name", "sample", "every", "due", "text", "structure")

    def __init__(self, name: str, sample: Callable[[], Sampled], every: float) -> None:
        self.name = name
        self.sample = sample
        self.every = every
        self.due = 0.0
        self.text = _native.encoded(name)
        self.structure = _structure()

    def pass_on(self) -> None:
        now = time.monotonic()
        if now >= self.due:
            self.due = now + self.every
            self.tell()

    def tell(self) -> bool:
        """Passes on a sample. False: sample() has failed, and is not asked again."""
        try:
            told = self.sample()
            if told is not None:
                values = _values(told if isinstance(told, DeviceSample) else DeviceSample(**told))
                _library.memrec_device_sample(self.text, len(self.text), self.structure(*values))  # type: ignore[union-attr]
        except Exception as error:  # the program goes on without these numbers
            unregister_collector(self.name)
            warnings.warn(f"memkit: the collector of {self.name} is not asked again: {error!r}")
            return False
        return True


def _structure() -> Any:
    import ctypes

    return ctypes.c_uint64 * 4


def _values(told: DeviceSample) -> "list[int]":
    """As struct memkit_sample of memkit.h. ValueError: a number that no device has."""
    for field, value in zip(told._fields, told):
        if value is not None and not 0 <= value <= _MOST:
            raise ValueError(f"{field} is {value}")
    for part, whole in (("used", "total"), ("allocated", "reserved")):
        small, large = getattr(told, part), getattr(told, whole)
        if small is not None and large is not None and small > large:
            raise ValueError(f"{part} {small} is above {whole} {large}")
    return [_UNKNOWN if value is None else int(value) for value in told]


def _is_device(name: str) -> bool:
    return 0 < len(name) < 64 and name.isascii() and all(c.isalnum() or c in ":_-" for c in name)


def _checked(device: Any) -> str:
    name = str(device)
    if not _is_device(name) or name.split(":")[0] in ("cpu", "host"):
        raise ValueError(
            f"a device's name has at most 63 letters, digits, ':', '_' and '-', as 'npu:0'; not {name!r}"
        )
    return name


def register_collector(
    name: Any, sample: Callable[[], Sampled], every: float = 0.1, thread: bool = False
) -> bool:
    """Records what sample() tells of a device that memrec does not know itself.

        memkit.register_collector("npu:0", lambda: {"used": npu.used(), "total": npu.total()})

    sample() gives a DeviceSample or a mapping with some of its fields: used (by all
    processes), total, allocated and reserved (by the program's allocator), in bytes. The
    values are a series of the device `name`, for tools, alerts and the page. It is called by
    memkit.step() and memkit.check(), at most once in `every` seconds; with thread=True by a thread of its
    own, each `every` seconds. A sample() that raises is not called again, and a warning says why. Another collector of the
    name replaces the one before. Of a CUDA device that memrec measures itself the values are
    left out. False when the process is not recorded; ValueError for a name that is no device's,
    and for an `every` that is no positive number.
    """
    device = _checked(name)
    if not every > 0:
        raise ValueError(f"every is a number of seconds above 0, not {every!r}")
    if _library is None:
        return False
    unregister_collector(device)
    collector = _Collector(device, sample, every)
    if thread:
        _start(collector)
    else:
        _alert.watched.append(collector)
    return True


#: Collectors with a thread of their own.
_threaded: "dict[str, _Collector]" = {}


def _start(collector: _Collector) -> None:
    import threading

    def run() -> None:
        while _threaded.get(collector.name) is collector and collector.tell():
            time.sleep(collector.every)

    _threaded[collector.name] = collector
    threading.Thread(target=run, name=f"memkit {collector.name}", daemon=True).start()


def unregister_collector(name: Any) -> bool:
    """Asks the collector of this device no more. False: there is none."""
    device = str(name)
    found = [w for w in _alert.watched if isinstance(w, _Collector) and w.name == device]
    for one in found:
        _alert.watched.remove(one)
    return _threaded.pop(device, None) is not None or bool(found)


def allocated(pool: str, address: int, size: int, device: Any = None) -> None:
    """Reports a block of an allocator of the program's own: heap ``pool.POOL``, with the line that calls.

    Call it after the allocator has given out the block. With a device, as ``"npu:0"`` or a
    torch.device, the block lies in its memory: heap ``DEVICE.POOL``. The address is any number above 0
    and below 2**56 that is the block's while it lives; on the host the true one, so that a byte counts once.
    ValueError, recorded or not, for what no block has: a name that is no text, a size below 0 or above 2**48 - 1.
    """
    text = _block(pool, address)
    if not isinstance(size, int) or not 0 <= size <= _MOST:
        raise ValueError(f"a block's size is a number of bytes up to 2**48 - 1, not {size!r}")
    name = None if device is None else _native.encoded(_checked(device))
    if _library is None:
        return
    if name is None:
        _library.memrec_allocated(text, len(text), address, size)
    else:
        _library.memrec_device_allocated(name, len(name), text, len(text), address, size)


def _block(pool: Any, address: Any) -> bytes:
    """The pool's name, once both are checked: the same with and without a recording."""
    if not isinstance(pool, str):
        raise ValueError(f"a pool's name is a text, not {pool!r}")
    # Of address 0 nothing is recorded.
    if not isinstance(address, int) or not 0 <= address < 2**56:
        raise ValueError(f"a block's address is a number above 0 and below 2**56, not {address!r}")
    return _native.encoded(pool)


def freed(pool: str, address: int, device: Any = None) -> None:
    """Reports that a block of allocated() ends: call it before the allocator takes it back."""
    text = _block(pool, address)
    name = None if device is None else _native.encoded(_checked(device))
    if _library is None:
        return
    if name is None:
        _library.memrec_freed(text, len(text), address)
    else:
        _library.memrec_device_freed(name, len(name), text, len(text), address)
