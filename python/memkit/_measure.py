# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measurements: a result for each use, and their sums."""

import functools
import inspect
import os
import sys
import time
import warnings
from collections import deque
from threading import RLock, get_ident
from types import TracebackType
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Tuple, Type, TypeVar, Union

from . import _native
from ._stats import HeapStats, Stats, TensorStats, ask

_library = _native.library
_F = TypeVar("_F", bound=Callable[..., Any])
#: A device: ``"cuda"``, ``"cuda:1"``, ``"cpu"``, a number of CUDA, a torch.device.
Device = Union[str, int, Any]


def device_name(device: Device) -> Optional[str]:
    """``cuda:1`` as heaps of PyTorch are named; None: all devices."""
    if device is None:
        return None
    if isinstance(device, int) and not isinstance(device, bool) and device >= 0:
        return f"cuda:{device}"
    text = str(device)
    if text == "cpu":
        return text
    kind, colon, number = text.partition(":")
    if kind.isalpha() and kind.islower() and (not colon or number.isdecimal()):
        return f"{kind}:{number or 0}"
    raise ValueError(
        f"no device: {device!r}; a device is 'cpu', 'cuda', 'cuda:1', 1, a torch.device, or None for all"
    )


def known_device(device: Device) -> Optional[str]:
    """As device_name(); a device of CUDA must be there."""
    name = device_name(device)
    if name is None or not name.startswith("cuda:"):
        return name
    torch = sys.modules.get("torch")
    count = getattr(getattr(torch, "cuda", None), "device_count", None)
    if count is not None:
        number, who = count(), "PyTorch sees"
    elif any(os.path.exists(path) for path in ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")):
        return name  # how many, nobody has asked yet
    else:
        number, who = 0, "this machine has"
    if int(name[5:]) < number:
        return name
    raise ValueError(f"no device: {device!r}; {who} {number or 'no'} device{'' if number == 1 else 's'} of CUDA")


def _resident() -> int:
    """Resident bytes of this process; 0: not known."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


class Result:
    """What one use of ``measure`` has measured.

    Numbers of the memory come from the recorder when they are asked for first, or
    before the recorder forgets them if the program keeps the result: the recorder
    keeps those of the 1,024 scopes that ended last. They are None when the process
    is not recorded. Bytes are those of the whole process in the memory space
    ``host``, or, where ``device`` is not None or the CPU, those of its tensors;
    ``host`` has those of the host in both cases.
    """

    __slots__ = (
        "name", "device", "begin", "end", "value", "rss", "rss_before", "_from", "_took", "_number", "_stats", "_ended"
    )

    def __init__(self, name: str, device: Optional[str]) -> None:
        self.name = name
        #: Of the bytes, and of ``tensors``; None: the host, and all tensors.
        self.device = device
        #: Seconds since 1970, as time.time(); None: still open.
        self.begin = time.time()
        self.end: Optional[float] = None
        #: What the function of ``profile`` has returned.
        self.value: Any = None
        #: Resident bytes of the process, at the begin and at the end.
        self.rss_before = _resident()
        self.rss: Optional[int] = None
        self._from = time.perf_counter()
        self._took: Optional[float] = None
        self._number = 0
        self._stats: Optional[Stats] = None
        self._ended = 0  # the number of scopes that have ended, as _native.ends counts

    def _close(self) -> None:
        self._took = time.perf_counter() - self._from
        self.end = time.time()
        self.rss = _resident()

    @property
    def stats(self) -> Optional[Stats]:
        """All numbers of the recorder, up to the end or to now."""
        if self._stats is not None or _library is None or not self._number:
            return self._stats
        got = ask(self._number)
        if self.end is not None:
            self._stats = got
        return got

    def _of(self, field: str) -> Optional[int]:
        s = self.stats
        if s is None:
            return None
        of = s.total if self.device in (None, "cpu") else s.tensors_of(self.device)
        return int(getattr(of, field))

    def _between(self, field: str) -> Optional[int]:
        value, before = self._of(field), self._of("before")
        return None if value is None or before is None else value - before

    @property
    def host(self) -> Optional[HeapStats]:
        """The numbers of the memory space ``host``, whatever the device."""
        s = self.stats
        return None if s is None else s.total

    @property
    def duration(self) -> float:
        """Seconds from the begin to the end, or to now."""
        return time.perf_counter() - self._from if self._took is None else self._took

    @property
    def allocated(self) -> Optional[int]:
        """Bytes allocated."""
        return self._of("allocated")

    @property
    def freed(self) -> Optional[int]:
        """Bytes freed."""
        return self._of("freed")

    @property
    def before(self) -> Optional[int]:
        """Bytes live at the begin."""
        return self._of("before")

    @property
    def after(self) -> Optional[int]:
        """Bytes live at the end, or now."""
        return self._of("after")

    @property
    def peak(self) -> Optional[int]:
        """The most bytes that were live at once."""
        return self._of("peak")

    @property
    def net(self) -> Optional[int]:
        """Bytes that were live at the end and not at the begin; negative: freed."""
        return self._between("after")

    @property
    def rise(self) -> Optional[int]:
        """The peak above the live bytes of the begin."""
        return self._between("peak")

    @property
    def heaps(self) -> Optional[Dict[str, HeapStats]]:
        """Each heap's numbers, by its name."""
        s = self.stats
        return None if s is None else s.heaps

    @property
    def tensors(self) -> Optional[TensorStats]:
        """What happened to the tensors of PyTorch on the device, or on all."""
        s = self.stats
        return None if s is None else s.tensors_of(self.device)

    def __repr__(self) -> str:
        return f"<memkit result {self.name!r}: {_line(self)}>"


def _size(value: Optional[int]) -> str:
    if value is None:
        return "?"
    number, units = float(value), ["B", "KiB", "MiB", "GiB", "TiB"]
    while abs(number) >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    return f"{number:.0f} B" if units[0] == "B" else f"{number:.1f} {units[0]}"


def _line(result: Result) -> str:
    if result.stats is None:
        return f"{result.duration:.3g} s, not recorded"
    return (
        f"{result.duration:.3g} s, peak {_size(result.peak)}, allocated {_size(result.allocated)}, "
        f"net {_size(result.net)}"
    )


_MAX_RESULTS = 1024
_MAX_NAMES = 10000
_OTHER_NAMES = "(other names)"
_results: Deque[Result] = deque()
#: Results whose numbers were not asked for, in the order of their ends.
_waiting: Deque[Result] = deque()
#: The sums of results that are in _results no more, by name.
_sums: "Dict[str, SummaryRow]" = {}
#: Of moving a result from _results to _sums. A signal handler may measure, too.
_moving = RLock()


def _new_lock() -> None:
    """A thread that a child of fork does not have may have held the lock."""
    global _moving
    _moving = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


def _keep(result: Result) -> None:
    """Notes a result that has ended; the earliest ones become sums."""
    result._ended = _native.ends
    _results.append(result)
    if result._number:
        _waiting.append(result)
    _ask_in_time()
    if len(_results) <= _MAX_RESULTS:
        return
    with _moving:
        while len(_results) > _MAX_RESULTS:
            old = _results.popleft()
            _add(_sums, old.name, _row(old, asks=False))


# A question takes milliseconds, so not all uses are asked for: the first ones of a
# name, and those that the program keeps, while questions take a second and a
# twentieth of the time at most.
_FIRST_USES = 16
_uses: Dict[str, int] = {}
_begun = time.perf_counter()
_asked = 0.0  # seconds


def _references(result: Result) -> int:
    return int(getattr(sys, "getrefcount", lambda of: 0)(result))


def _own_references() -> int:
    """References to a result that the program does not keep, as _ask_in_time sees them."""
    ours = deque([Result("", None)])
    result = ours[0]
    return _references(result)


_OWN_REFERENCES = _own_references()


def _ask_in_time() -> None:
    """Asks for numbers before the recorder forgets them."""
    global _asked
    while _waiting and _native.ends - _waiting[0]._ended >= _native.FORGETTING:
        try:
            result = _waiting.popleft()
        except IndexError:  # another thread was faster
            return
        uses = _uses.get(result.name, 0) + 1
        if uses > 1 or len(_uses) < _MAX_NAMES:
            _uses[result.name] = uses
        now = time.perf_counter()
        has_time = _asked < 1 + (now - _begun) / 20
        if has_time and (uses <= _FIRST_USES or _references(result) > _OWN_REFERENCES):
            result.stats  # noqa: B018
            _asked += time.perf_counter() - now


_native.ask_in_time = _ask_in_time


def _row(result: Result, asks: bool = True) -> "SummaryRow":
    """A row of one use; asks: the recorder, if the numbers are not known yet."""
    s = result.stats if asks else result._stats
    if s is None:
        return SummaryRow(result.name, 1, result.duration, None, None, None, None, 0)
    of = s.total
    return SummaryRow(
        result.name,
        1,
        result.duration,
        of.allocated,
        of.after - of.before,
        of.peak,
        of.peak - of.before,
        1,
        s.tensors.peak,
        {device: s.tensors_of(device).peak for device in s.devices()},
    )


def _highest(one: Optional[Dict[str, int]], other: Optional[Dict[str, int]]) -> Optional[Dict[str, int]]:
    """The higher peak of each device."""
    if one is None or other is None:
        return other if one is None else one
    return {device: max(one.get(device, 0), other.get(device, 0)) for device in sorted({*one, *other})}


def _add(to: "Dict[str, SummaryRow]", name: str, row: "SummaryRow") -> None:
    """Adds a row to the sums of its name."""
    if name not in to and len(to) >= _MAX_NAMES and name != _OTHER_NAMES:
        if _OTHER_NAMES not in to:
            warnings.warn(f"memkit.measure: more than {_MAX_NAMES} names; further ones are summed as {_OTHER_NAMES!r}")
        name = _OTHER_NAMES
    had = to.get(name)
    if had is None:
        to[name] = row._replace(name=name)
        return
    to[name] = SummaryRow(
        name,
        had.calls + row.calls,
        had.duration + row.duration,
        _sum([had.allocated, row.allocated], sum),
        _sum([had.net, row.net], sum),
        _sum([had.peak, row.peak], max),
        _sum([had.rise, row.rise], max),
        had.known + row.known,
        _sum([had.tensors, row.tensors], max),
        _highest(had.devices, row.devices),
    )


class measure:
    """Measures the memory of a span of the program, each time anew.

        with memkit.measure("load") as m:
            data = load()
        print(m.peak, m.allocated, m.net, m.rss)

        @memkit.measure()
        def train(batch): ...

    Without a name, the place in the source is the name. The span is a scope of
    that name, too: tools show it. device: the numbers are those of its tensors,
    and ``m.host`` has those of the host. ValueError: there is no such device.
    TypeError: the name is no str.
    """

    __slots__ = ("name", "device", "_open")

    def __init__(self, name: Optional[str] = None, device: Device = None) -> None:
        if name is None:
            frame = sys._getframe(1)
            name = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        if not isinstance(name, str):
            raise TypeError(f"memkit.measure: the name is a str, and not {type(name).__name__}")
        self.name = name
        self.device = known_device(device)
        self._open: List[Tuple[int, Result]] = []  # (thread, result), innermost last

    def _begin(self, name: str, flags: int = 0) -> Result:
        result = Result(name, self.device)
        if _library is not None:
            text = _native.encoded(name)
            result._number = int(_library.memrec_scope_begin(text, len(text), flags | _native.PYTHON))
        return result

    def _finish(self, result: Result) -> None:
        if _library is not None:
            _library.memrec_scope_end(result._number)
            _native.count_end()
        result._close()
        _keep(result)

    def __enter__(self) -> Result:
        result = self._begin(self.name)
        self._open.append((get_ident(), result))
        return result

    def __exit__(
        self,
        kind: Optional[Type[BaseException]] = None,
        value: Optional[BaseException] = None,
        trace: Optional[TracebackType] = None,
    ) -> None:
        thread = get_ident()
        for i in range(len(self._open) - 1, -1, -1):
            if self._open[i][0] == thread:
                return self._finish(self._open.pop(i)[1])

    def __call__(self, function: _F) -> _F:
        """The function with a measurement of each of its calls."""
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("memkit.measure cannot decorate a generator; memkit.scope can")
        name = _name_of(function)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                # Other tasks run meanwhile: what they allocate is not told to be in the scope.
                result = self._begin(name, _native.NO_CONTEXT)
                try:
                    return await function(*args, **kwargs)
                finally:
                    self._finish(result)

            return call_async  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            result = self._begin(name)
            try:
                return function(*args, **kwargs)
            finally:
                self._finish(result)

        return call  # type: ignore[return-value]


def _name_of(function: Callable[..., Any]) -> str:
    """What the result of a call is called."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__qualname__", None) or repr(function))


def profile(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Result:
    """Calls the function, and gives its measurement, with what it returned as
    ``value``."""
    meter = measure(_name_of(function))
    with meter as result:
        result.value = function(*args, **kwargs)
    return result


def results(name: Optional[str] = None) -> List[Result]:
    """The measurements that have ended, the latest last: at most 1,024 since
    reset(). name: only those."""
    return [r for r in list(_results) if name is None or r.name == name]


def reset() -> None:
    """Forgets all results: summary() begins anew."""
    with _moving:
        _results.clear()
        _sums.clear()


class SummaryRow(NamedTuple):
    """All results of a name. Bytes are those of the host, whatever the device of
    the measurement; None when the process is not recorded."""

    name: str
    calls: int
    duration: float  #: seconds, of all calls
    allocated: Optional[int]  #: of all calls
    net: Optional[int]  #: of all calls
    peak: Optional[int]  #: the highest
    rise: Optional[int]  #: the highest
    #: Of the calls, those whose bytes are in the sums: the recorder keeps those of
    #: the latest, and the package asks for the first and for kept ones.
    known: int = 0
    tensors: Optional[int] = None  #: the most bytes of tensors, of all devices
    devices: Optional[Dict[str, int]] = None  #: the same by device, without the CPU


class Summary(List[SummaryRow]):
    """Rows by name, those that rose most first. As a text, a table."""

    def __str__(self) -> str:
        if not self:
            return "nothing was measured since the start, or since memkit.reset()"
        devices = sorted({d for r in self for d in r.devices or ()})
        has_tensors = any(r.tensors for r in self)
        lines = [["name", "calls", "time", "allocated", "net", "rise", "peak", *["tensors"] * has_tensors, *devices]]
        for r in self:
            sizes = [r.allocated, r.net, r.rise, r.peak, *[r.tensors] * has_tensors]
            sizes += [None if r.devices is None else r.devices.get(d, 0) for d in devices]
            lines.append([r.name, str(r.calls), f"{r.duration:.3g} s", *(_size(v) for v in sizes)])
        widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
        text = [
            "  ".join([line[0].ljust(widths[0])] + [v.rjust(w) for v, w in zip(line[1:], widths[1:])]).rstrip()
            for line in lines
        ]
        text += [
            f"bytes of {r.name}: of {r.known:,} of the calls; memdump --scopes has all after the run"
            for r in self
            if 0 < r.known < r.calls
        ]
        return "\n".join(text)


def _sum(values: List[Optional[int]], how: Callable[[List[int]], int]) -> Optional[int]:
    known = [v for v in values if v is not None]
    return how(known) if known else None


def summary() -> Summary:
    """The results by name, all since the start or reset(): of 10,000 names, and of
    the others together."""
    with _moving:
        by_name = dict(_sums)
        kept = results()
    for result in kept:
        _add(by_name, result.name, _row(result))
    return Summary(sorted(by_name.values(), key=lambda row: -(row.rise or 0)))


def layers() -> Any:
    """The layers of PyTorch models so far, as ``Trace.layers()``; None when the
    process is not recorded."""
    if _library is None or not _library.memrec_recording():
        return None
    from . import _trace

    return _trace.Trace(f"live:{os.getpid()}").layers()
