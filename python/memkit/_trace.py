# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads traces."""

import ctypes
import os
import warnings
from typing import Any, Iterable, List, Optional, Union

from . import _library
from ._table import Table

#: A value of a selection, or several alternatives.
Choice = Union[str, int, Iterable[Union[str, int]]]
Path = Union[str, "os.PathLike[str]"]


class TraceWarning(UserWarning):
    """The trace is cut off, or still being written."""


class _Selection:
    """The part of a trace that the caller chose, for one call."""

    def __init__(self, chosen: "dict[str, Any]") -> None:
        # ctypes passes this pointer for the object. The object lives as long as the call.
        self._as_parameter_ = ctypes.c_void_p()
        _library.call("memkit_selection_new", ctypes.byref(self._as_parameter_))
        for name, value in chosen.items():
            values = [value] if isinstance(value, (str, int)) else value
            for one in [] if values is None else values:
                text = str(one).encode("utf-8", "surrogateescape")
                field = name.replace("_", "-").encode()
                _library.call("memkit_selection_set", self, field, text)

    def __del__(self) -> None:
        if self._as_parameter_:
            _library.library().memkit_selection_free(self)


class Trace:
    """A trace. ``memkit.open()`` makes one.

    Every question gives a Table. Questions take a part of the trace as the
    tools' options of the same names do: ``heap="torch.*"``, ``process=4711``,
    ``thread=``, ``stack="regex"``, ``scope=``, ``layer=``, ``min_size="1MiB"``,
    ``since="step:3"``, ``until=``; a list is of alternatives.
    """

    def __init__(self, path: Path) -> None:
        self._handle = ctypes.c_void_p()
        self._said: List[str] = []
        self.path = os.fspath(path)
        name = os.fsencode(self.path)
        if b"\0" in name:
            raise _library.RequestError("a path holds no zero byte")
        _library.call("memkit_trace_open", name, ctypes.byref(self._handle))
        self._free = _library.library().memkit_trace_free
        self._warn()

    def close(self) -> None:
        """Closes the file; tables stay as they are."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            self._free(handle)

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_free", None):
            self.close()

    def __repr__(self) -> str:
        return f"memkit.open({self.path!r})"

    def _warn(self) -> None:
        said = _library.library().memkit_trace_warnings(self._handle).decode("utf-8", "replace")
        for line in said.splitlines():
            # The caller knows that a recording still runs.
            known = self.path.startswith("live:") and "still being recorded" in line
            if line not in self._said and not known:
                self._said.append(line)
                warnings.warn(line, TraceWarning, stacklevel=4)

    def _ask(self, question: str, *arguments: Any) -> Table:
        if not self._handle:
            raise _library.RequestError("the trace is closed")
        answer = ctypes.c_void_p()
        _library.call("memkit_trace_" + question, self._handle, *arguments, ctypes.byref(answer))
        self._warn()
        return Table(answer)

    @property
    def run(self) -> Table:
        """One row: program, command, host, duration, counts, what was lost.

        >>> import memkit
        >>> [run] = memkit.open("trace.fb").run
        >>> run.complete, run.lost
        (True, 0)
        """
        return self._ask("run")

    @property
    def processes(self) -> Table:
        """The processes, with their peaks and how they ended."""
        return self._ask("processes")

    @property
    def ranks(self) -> Table:
        """The ranks of a distributed job; a trace without ranks is one row."""
        return self._ask("ranks")

    @property
    def spaces(self) -> Table:
        """The memory spaces: the host, and each device."""
        return self._ask("spaces")

    @property
    def heaps(self) -> Table:
        """The heaps, with totals and peaks."""
        return self._ask("heaps")

    @property
    def ooms(self) -> Table:
        """Requests for memory that failed."""
        return self._ask("ooms")

    def stacks(self, at: Optional[str] = None, group_by: str = "stack", **selection: Choice) -> Table:
        """Memory by heap and stack, line, function, file, binary, library, heap,
        layer or scope; the most at the peak of the memory space first, of a time
        point what lives there. The first row is the largest of the trace; heaps
        outside the totals come last.

        ``at_peak_bytes`` are parts of the peak of the memory space, as memstat
        shows them; where the selection chooses heaps, of the heap's own peak.

        at: a time point (``"peak"``, ``"1.5s"``, ``"step:3"``, ``"mark:NAME"``,
        ``"oom"``, ``"end"``): what lives then, in place of the whole run.

        >>> import memkit
        >>> lines = memkit.open("trace.fb").stacks(at="peak", group_by="line")
        >>> "live_bytes" in lines.columns
        True
        """
        return self._ask("stats", _Selection({"at": at, **selection}), group_by.encode())

    def frames(self, stack: int = 0) -> Table:
        """The functions of a stack, innermost first; without a number, of all
        stacks, to be joined on ``stack``."""
        return self._ask("frames", ctypes.c_uint32(stack))

    def events(self, columns: Optional[Iterable[str]] = None, **selection: Choice) -> Table:
        """All events in order of time, in constant memory.

        columns: of time_ns, process, rank, thread, kind, block, size, heap,
        stack, scope, layer; without it all but rank, scope and layer. A block's
        number is unique in its process.

        >>> import memkit
        >>> events = memkit.open("trace.fb").events(columns=["kind", "size"])
        >>> events[0].kind
        'alloc'
        """
        names = None if columns is None else ",".join(columns).encode()
        return self._ask("events", _Selection(dict(selection)), names)

    def steps(self, **selection: Choice) -> Table:
        """The program's steps: a row for each step and memory space."""
        return self._ask("steps", _Selection(dict(selection)))

    def layers(self, **selection: Choice) -> Table:
        """The layers of PyTorch models, forward and backward."""
        return self._ask("layers", _Selection(dict(selection)))

    def operators(self, **selection: Choice) -> Table:
        """The operators of frameworks: calls, times, tensors; the longest self time first."""
        return self._ask("operators", _Selection(dict(selection)))

    def table(self, name: str, **selection: Choice) -> Table:
        """The table of a name, as ``memdump --table=NAME`` has it: ``blocks`` (the largest live blocks, at the
        selection's ``at`` or at the peak), ``steps``, ``layers``, ... An unknown name raises RequestError, with all
        names."""
        return self._ask("table", name.encode(), _Selection(dict(selection)))

    def kernels(self, **selection: Choice) -> Table:
        """The work of devices: kernels, copies, memsets, graphs; the longest first (``memrec --cuda=time``)."""
        return self.table("kernels", **selection)

    def programs(self, **selection: Choice) -> Table:
        """The compiled programs of JAX, with XLA's plan of one call; the most bytes at the peak first."""
        return self._ask("programs", _Selection(dict(selection)))

    def arrays(self, **selection: Choice) -> Table:
        """The live arrays of JAX by type and shape, at each ``memkit.mark()``."""
        return self._ask("arrays", _Selection(dict(selection)))

    @property
    def scopes(self) -> Table:
        """The scopes and ranges that the program named."""
        return self._ask("scopes")

    def threads(self, **selection: Choice) -> Table:
        """The threads, the most bytes first."""
        return self._ask("threads", _Selection(dict(selection)))

    def categories(self, **selection: Choice) -> Table:
        """Tensors at the peak of their heap: parameters, gradients, ..."""
        return self._ask("categories", _Selection(dict(selection)))

    def leaks(self, **selection: Choice) -> Table:
        """Memory that was never freed, that rises, or that outlives its siblings:
        as memleak, a row for each line.

        ``verdict`` is memleak's word for memory that rises: ``leak``, ``grows``,
        ``grew``. ``heap``, ``layer`` and ``stack`` are those of most of its bytes.
        """
        return self._ask("leaks", _Selection(dict(selection)))

    def series(self, points: int = 500, **selection: Choice) -> Table:
        """Memory over time: the highest live bytes of each heap in ``points``
        equal parts of the run, and samples of resident, reserved and used bytes."""
        if not 1 <= points <= 1_000_000:
            raise _library.RequestError("a series has 1 to 1,000,000 points")
        return self._ask("series", _Selection(dict(selection)), ctypes.c_uint32(points))


def diff(before: Union[Trace, Path], after: Union[Trace, Path], **selection: Choice) -> Table:
    """What changed from one run to another, by line of code, the largest change
    of the peak first.

    >>> import memkit
    >>> len(memkit.diff("trace.fb", "trace.fb").columns)
    15
    """
    one = before if isinstance(before, Trace) else Trace(before)
    other = after if isinstance(after, Trace) else Trace(after)
    if not one._handle or not other._handle:
        raise _library.RequestError("the trace is closed")
    answer = ctypes.c_void_p()
    _library.call(
        "memkit_trace_differences",
        one._handle,
        other._handle,
        _Selection(dict(selection)),
        ctypes.byref(answer),
    )
    for trace in (one, other):
        trace._warn()
    return Table(answer)
