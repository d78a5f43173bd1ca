# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scopes: named spans of the program."""

import functools
import inspect
import sys
from threading import get_ident
from types import TracebackType
from typing import Any, Callable, Dict, Generator, List, Optional, Tuple, Type, TypeVar

from . import _native
from ._stats import HeapStats, Stats, TensorStats, ask

_library = _native.library
_F = TypeVar("_F", bound=Callable[..., Any])


class scope:
    """A named span of the program, as a context manager or a decorator.

        with memkit.scope("load") as load:
            ...
        print(load.peak - load.before)

        @memkit.scope("forward")
        def forward(x): ...

    What the thread allocates inside is told to be in the scope, and in those
    around it: tools show it by name. Decorated generators and coroutines are in
    it while they run, not while others do.

    It is measured too: when it has ended, also by an exception, its numbers are
    those of the whole process from its begin to its end; while it is open, up to
    now. An object that is used again has the numbers of the use that ended last.
    They come from the recorder when they are asked for first; it keeps those of
    the 1,024 scopes that ended last. All are None when the process is not
    recorded, or has been forked since, or the recorder does not answer.
    """

    __slots__ = ("name", "calls", "_text", "_open", "_last", "_stats")

    def __init__(self, name: str) -> None:
        #: Names are cut after 4,096 bytes.
        self.name = name
        #: How many times it has ended, recorded or not.
        self.calls = 0
        self._text = _native.encoded(name)
        self._open: List[Tuple[int, int]] = []  # (thread, number), innermost last
        self._last = 0  # the number of the one that ended last
        self._stats: Optional[Stats] = None

    def _begin(self, flags: int = 0) -> int:
        return int(_library.memrec_scope_begin(self._text, len(self._text), flags | _native.PYTHON))  # type: ignore[union-attr]

    def _end(self, number: int) -> None:
        _library.memrec_scope_end(number)  # type: ignore[union-attr]
        _native.count_end()
        self._last = number
        self._stats = None

    def __enter__(self) -> "scope":
        if _library is not None:
            self._open.append((get_ident(), self._begin()))
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]] = None,
        value: Optional[BaseException] = None,
        trace: Optional[TracebackType] = None,
    ) -> None:
        self.calls += 1
        if _library is None:
            return
        thread = get_ident()
        for i in range(len(self._open) - 1, -1, -1):
            if self._open[i][0] == thread:
                self._end(self._open.pop(i)[1])
                return

    def __call__(self, function: _F) -> _F:
        """The function with the scope around each of its calls."""
        if inspect.iscoroutinefunction(function):
            return self._around_coroutine(function)  # type: ignore[return-value]
        if inspect.isasyncgenfunction(function):
            raise TypeError("memkit.scope cannot decorate an asynchronous generator")
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if _library is None:
                try:
                    return function(*args, **kwargs)
                finally:
                    self.calls += 1
            number = self._begin()
            try:
                return function(*args, **kwargs)
            finally:
                self.calls += 1
                self._end(number)

        return call  # type: ignore[return-value]

    def _resume(self, resume: Callable[..., Any], *args: Any) -> Any:
        """One stretch of a generator or coroutine, from a resumption to the next stop."""
        if _library is None:
            return resume(*args)
        number = self._begin(_native.NO_MEASURE)
        try:
            return resume(*args)
        finally:
            _library.memrec_scope_end(number)

    def _drive(self, body: Any) -> Generator[Any, Any, Any]:
        """Runs the generator or coroutine body to its end."""
        number = self._begin(_native.NO_CONTEXT) if _library is not None else 0
        try:
            resume: Callable[..., Any] = body.send
            args: Tuple[Any, ...] = (None,)
            while True:
                try:
                    got = self._resume(resume, *args)
                except StopIteration as stop:
                    return stop.value
                try:
                    sent = yield got
                except GeneratorExit:
                    self._resume(body.close)
                    raise
                except BaseException:
                    resume, args = body.throw, sys.exc_info()[1:2]
                else:
                    resume, args = body.send, (sent,)
        finally:
            self.calls += 1
            if _library is not None:
                self._end(number)

    def _around_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return (yield from self._drive(function(*args, **kwargs)))

        return call

    def _around_coroutine(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            return await _Awaitable(self._drive(function(*args, **kwargs)))

        return call

    @property
    def stats(self) -> Optional[Stats]:
        """All numbers; the properties below are parts of it."""
        if _library is None:
            return None
        if self._open:
            return ask(self._open[-1][1])
        if self._stats is None and self._last:
            self._stats = ask(self._last)
        return self._stats

    @property
    def heaps(self) -> Optional[Dict[str, HeapStats]]:
        """Each heap's numbers, by its name."""
        s = self.stats
        return s.heaps if s is not None else None

    @property
    def tensors(self) -> Optional[TensorStats]:
        """What happened to the tensors of PyTorch, of all devices."""
        s = self.stats
        return s.tensors if s is not None else None

    @property
    def allocated(self) -> Optional[int]:
        """Bytes allocated."""
        s = self.stats
        return s.allocated if s is not None else None

    @property
    def freed(self) -> Optional[int]:
        """Bytes freed."""
        s = self.stats
        return s.freed if s is not None else None

    @property
    def before(self) -> Optional[int]:
        """Bytes live when it began."""
        s = self.stats
        return s.before if s is not None else None

    @property
    def peak(self) -> Optional[int]:
        """The most bytes that were live at once."""
        s = self.stats
        return s.peak if s is not None else None

    @property
    def after(self) -> Optional[int]:
        """Bytes live when it ended, or now."""
        s = self.stats
        return s.after if s is not None else None

    @property
    def live(self) -> Optional[int]:
        """As ``after``."""
        return self.after

    @property
    def duration(self) -> Optional[float]:
        """Seconds from begin to end, or to now."""
        s = self.stats
        return s.duration if s is not None else None

    def __repr__(self) -> str:
        return "memkit.scope(%r)" % self.name


class _Awaitable:
    """A generator that a coroutine can await."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Generator[Any, Any, Any]) -> None:
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps
