# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that the recorder gives."""

from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional

from . import _native


def _difference(whole: Optional[int], part: Optional[int]) -> Optional[int]:
    return None if whole is None or part is None else max(whole - part, 0)


class HeapStats(NamedTuple):
    """What happened to a heap of the process in a span of time. Bytes, exact."""

    name: str  #: ``host.malloc``, ``host.mmap``, ...
    allocations: int  #: blocks allocated
    frees: int  #: blocks freed
    allocated: int  #: bytes allocated
    freed: int  #: bytes freed
    before: int  #: live when the span began
    peak: int  #: the most that was live at once
    after: int  #: live when it ended, or now
    #: What the heap's allocator has taken, at the end of the span or now; None
    #: where it does not tell. PyTorch's of devices do.
    reserved: Optional[int] = None
    reserved_peak: Optional[int] = None  #: the most in the span
    active: Optional[int] = None  #: given out of it
    active_at_peak: Optional[int] = None  #: given out when most was reserved

    @property
    def inactive(self) -> Optional[int]:
        """Reserved, but not given out, at the end of the span or now."""
        return _difference(self.reserved, self.active)

    @property
    def inactive_at_peak(self) -> Optional[int]:
        """Reserved, but not given out, when most was reserved."""
        return _difference(self.reserved_peak, self.active_at_peak)

    @property
    def live(self) -> int:
        """Bytes live at the end of the span, or now."""
        return self.after


class TensorStats(NamedTuple):
    """What happened to the tensors of a device, or of all, in a span of time."""

    created: int  #: tensors' blocks allocated
    deleted: int  #: and freed
    allocated: int  #: bytes
    freed: int  #: bytes
    before: int  #: live when the span began
    peak: int  #: the most that was live at once; of several devices the sum
    after: int  #: live when it ended, or now
    reserved: Optional[int]  #: by the devices' allocators; None: they do not tell
    reserved_peak: Optional[int]
    active: Optional[int]
    active_at_peak: Optional[int] = None  #: given out when most was reserved; of several devices the sum

    @property
    def inactive(self) -> Optional[int]:
        """Reserved, but not given out, at the end of the span or now."""
        return _difference(self.reserved, self.active)

    @property
    def inactive_at_peak(self) -> Optional[int]:
        """Reserved, but not given out, when most was reserved."""
        return _difference(self.reserved_peak, self.active_at_peak)


def _sum(values: Iterable[Optional[int]]) -> Optional[int]:
    known = [v for v in values if v is not None]
    return sum(known) if known else None


class Stats:
    """What happened to the memory of the process in a span of time.

    It is the whole process's: what other threads do in the span counts. The sums
    are of the space ``host``, in which no byte counts twice; the heaps stand in
    ``heaps``, by name, those that were ever used.
    """

    __slots__ = ("total", "heaps", "duration")

    def __init__(self, total: HeapStats, heaps: Dict[str, HeapStats], duration: float) -> None:
        #: The sums of the space ``host``.
        self.total = total
        #: The heaps of the process, by name.
        self.heaps = heaps
        #: Seconds.
        self.duration = duration

    @property
    def tensors(self) -> TensorStats:
        """Of the heaps of PyTorch and TensorFlow, all together."""
        return self.tensors_of(None)

    def tensors_of(self, device: Optional[str]) -> TensorStats:
        """The same of a device, ``cuda:1``; None: of all."""
        # Segments are the memory that tensors lie in.
        of = [
            h
            for h in self.heaps.values()
            if h.name.startswith(("torch.", "tf."))
            and not h.name.endswith(".segments")
            and device in (None, h.name.split(".", 1)[1])
        ]
        values: List[List[Any]] = [[h[i] for h in of] for i in range(1, 12)]
        return TensorStats(*(sum(v) for v in values[:7]), *(_sum(v) for v in values[7:]))

    def devices(self) -> List[str]:
        """The devices, besides the CPU, that tensors were on: ``cuda:0``."""
        names = {h.name.split(".", 1)[1] for h in self.heaps.values() if h.name.startswith(("torch.", "tf."))}
        return sorted(n for n in names if n != "cpu" and not n.endswith(".segments"))

    @property
    def allocated(self) -> int:
        """Bytes allocated."""
        return self.total.allocated

    @property
    def freed(self) -> int:
        """Bytes freed."""
        return self.total.freed

    @property
    def before(self) -> int:
        """Bytes live when the span began."""
        return self.total.before

    @property
    def peak(self) -> int:
        """The most bytes that were live at once."""
        return self.total.peak

    @property
    def after(self) -> int:
        """Bytes live when the span ended, or now."""
        return self.total.after

    @property
    def live(self) -> int:
        """As ``after``."""
        return self.total.after

    def __repr__(self) -> str:
        return "Stats(allocated=%d, freed=%d, before=%d, peak=%d, after=%d, duration=%.6f)" % (
            self.allocated,
            self.freed,
            self.before,
            self.peak,
            self.after,
            self.duration,
        )


_function: Optional[Callable[..., int]] = None
_structure: Any = None


def _prepare() -> None:
    """Looks up memrec_stats, which may wait: called without the interpreter's lock."""
    global _function, _structure
    import ctypes

    class Heap(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char * 40)] + [
            (name, ctypes.c_uint64) for name in HeapStats._fields[1:8]
        ]

    class Reserved(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("known", "now", "peak", "active")]

    class AllHeaps(ctypes.Structure):
        _fields_ = [
            ("duration_ns", ctypes.c_uint64),
            ("num_heaps", ctypes.c_uint32),
            ("reserved", ctypes.c_uint32),
            ("total", Heap),
            ("heaps", Heap * 24),
            ("reserved_of", Reserved * 24),
            ("active_at_peak", ctypes.c_uint64 * 24),
        ]

    function = _native.opened(ctypes.CDLL).memrec_stats
    function.argtypes = [ctypes.c_uint64, ctypes.POINTER(AllHeaps), ctypes.c_size_t]
    function.restype = ctypes.c_int
    _structure = AllHeaps
    _function = function


def _heap(h: Any, r: Any = None, active_at_peak: int = 0) -> HeapStats:
    name = h.name.decode("utf-8", "replace")
    told = (r.now, r.peak, r.active, active_at_peak) if r is not None and r.known else ()
    return HeapStats(name, *(getattr(h, field) for field in HeapStats._fields[1:8]), *told)


def ask(number: int) -> Optional[Stats]:
    """The recorder's answer about the scope of this number; 0: see stats()."""
    if _native.library is None:
        return None
    if _function is None:
        _prepare()
    assert _function is not None
    import ctypes

    got = _structure()
    if not _function(number, ctypes.byref(got), ctypes.sizeof(got)):
        return None
    of = zip(got.heaps[: got.num_heaps], got.reserved_of, got.active_at_peak)
    heaps = [_heap(*each) for each in of]
    return Stats(_heap(got.total), {h.name: h for h in heaps}, got.duration_ns / 1e9)
