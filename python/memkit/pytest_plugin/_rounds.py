# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""limit_leaks and limit_growth: what further runs of a test keep."""

import gc
import inspect
import os
import statistics
import sys
import time
from array import array
from contextlib import contextmanager
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import pytest

import memkit

from ._hook import hook
from ._limits import limit_of
from ._recording import ask_recording
from ._sizes import text_of

#: Runs for limit_leaks in which caches may fill.
WARM_UP = 2
#: The least size of a block of Python's allocator.
MIN_BLOCK = 16
#: What pytest and its plugins may keep of a run of a test, in bytes.
MAX_OF_PYTEST = 1024
#: Further runs where a run keeps so little, and runs without the test's function; of each the first ones
#: are not counted.
MORE_ROUNDS, EMPTY_ROUNDS = 20, 10
MORE_WARM_UP = 5
#: Seconds for which the recorder is asked, which may have no processor for a while, and between two questions.
MAX_WAIT_S, BETWEEN_S = 60.0, 0.1
#: Lines of a failure.
MAX_LINES = 5
#: Further series of runs that a growth must show.
CONFIRMATIONS = 3
#: Least runs for limit_growth: of each quarter, two.
MIN_GROWTH_ROUNDS = 8
#: The property of a test that failed when it ran again.
NOT_REPEATABLE = "memkit-not-repeatable"
MARKS = ("limit_leaks", "limit_leaked_objects", "limit_growth")


class NotRepeatable(Exception):
    """A further run of a test failed."""


class Level(NamedTuple):
    """What lives after a run, in bytes."""

    memory: int  #: of this process, and its tensors on devices
    objects: int  #: of Python, at the least: they may lie in memory that was there


class Rounds:
    """Runs tests with these marks again and again. Fixtures of a function are made anew each time."""

    def __init__(self) -> None:
        #: Tests whose function is left out, so that only fixtures and pytest itself run.
        self.empty: Set[Any] = set()

    @hook(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Optional[bool]:
        return True if pyfuncitem in self.empty else None

    @hook(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Optional[bool]:
        if not any(map(item.get_closest_marker, MARKS)):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports(item, nextitem):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _reports(self, item: Any, nextitem: Any) -> List[Any]:
        """The reports of the first run, which fails if the test leaks or grows."""
        from _pytest.runner import runtestprotocol

        # For the parent as the next item, fixtures of the function end, and no wider ones.
        reports: List[Any] = runtestprotocol(item, log=False, nextitem=item.parent)
        call = next((report for report in reports if report.when == "call"), None)
        if call is not None and all(report.passed for report in reports):
            try:
                failure = self._leak(item) or self._growth(item)
            except NotRepeatable as why:
                failure = None
                call.user_properties.append((NOT_REPEATABLE, str(why)))
            except ValueError as problem:
                failure = f"memkit: {problem}"
            if failure is not None:
                call.outcome, call.longrepr = "failed", failure
        # Fixtures that the next test does not have end now.
        ended = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown")
        if ended.excinfo is not None:
            reports.append(item.ihook.pytest_runtest_makereport(item=item, call=ended))
        return reports

    def _leak(self, item: Any) -> Optional[str]:
        """Why limit_leaks fails: each run after the warm-up keeps more than it allows; or, of objects of
        Python alone, limit_leaked_objects."""
        mark = item.get_closest_marker("limit_leaks")
        of_all = mark is not None
        mark = mark or item.get_closest_marker("limit_leaked_objects")
        if mark is None:
            return None
        asked = limit_of(mark, ("size", "rounds") if of_all else ("rounds",))
        limit, rounds = asked["size"], int(asked.get("rounds", 5))
        if rounds <= WARM_UP:
            raise ValueError(f"{mark.name}: rounds={rounds}; the first {WARM_UP} are for caches, so at least 3")
        marks = Marks(item, mark.name)
        pairs = _kept(_run_rounds(item, 1, rounds, marks, WARM_UP), WARM_UP)
        if not of_all:
            pairs = [(0, objects) for _, objects in pairs]
        kept = [max(pair) for pair in pairs]
        least = min(kept)
        if statistics.median(kept) > limit and least <= limit + MAX_OF_PYTEST:
            # A leak comes again; what pytest keeps may lie above its quartiles once.
            for _ in range(2):
                least = self._beyond_pytest(item, of_all)
                if least <= limit:
                    break
        if least <= limit:
            return None
        least = max(least, MIN_BLOCK)  # quartiles may lie between two numbers of objects
        is_native, is_python = (statistics.median(which) > limit for which in zip(*pairs))
        return "\n".join(
            [
                f"memkit: each run keeps {text_of(least)} or more (runs {WARM_UP + 1} to {rounds}: "
                f"{', '.join(map(text_of, kept))}); {mark.name} allows {text_of(limit)}",
                *(_native_lines(marks, least * len(kept)) if is_native else ()),
                *(_python_lines(item, rounds) if is_python or not is_native else ()),
            ]
        )

    def _beyond_pytest(self, item: Any, of_all: bool) -> int:
        """What three of four runs keep at the least, in bytes, beyond what three of four runs without the
        test's function keep at the most, before and after them: pytest, its plugins and fixtures keep some
        objects of each run, one more or less, and fewer the longer the run lasts. Of all memory, or of
        objects of Python."""
        before = self._kept_without(item)
        mine = _kept(_run_rounds(item, 0, MORE_ROUNDS), MORE_WARM_UP)
        after = self._kept_without(item)
        kinds = list(zip(zip(*mine), zip(*before), zip(*after)))[0 if of_all else 1 :]
        return max(
            int(_quartile(which, 0) - max(0, _quartile(earlier, 2), _quartile(later, 2)))
            for which, earlier, later in kinds
        )

    def _kept_without(self, item: Any) -> List[Tuple[int, int]]:
        with _left_out(self.empty, item):
            return _kept(_run_rounds(item, 0, EMPTY_ROUNDS), WARM_UP)

    def _growth(self, item: Any) -> Optional[str]:
        """Why limit_growth fails: the least of the last quarter of the runs lies more than it allows above
        the most of the second quarter; the first is for caches."""
        mark = item.get_closest_marker("limit_growth")
        if mark is None:
            return None
        asked = limit_of(mark, ("size", "rounds"))
        limit, rounds = asked["size"], int(asked.get("rounds", 20))
        if rounds < MIN_GROWTH_ROUNDS:
            raise ValueError(f"limit_growth: rounds={rounds}; a quarter of them is for caches, so at least 8")
        quarter = rounds // 4
        marks = Marks(item, "limit_growth")
        native, python = _rise(_run_rounds(item, 1, rounds, marks, quarter))
        rise = max(native, python)
        # Less than a block for each run between the quarters is no growth.
        allowed = max(limit, MIN_BLOCK * quarter)
        for _ in range(CONFIRMATIONS):
            if rise > allowed:
                is_small = rise <= limit + MAX_OF_PYTEST * rounds
                rise = min(rise, self._rise_beyond_pytest(item, rounds) if is_small else _rise_again(item, rounds))
        if rise <= allowed:
            return None
        return "\n".join(
            [
                f"memkit: the memory after runs {rounds - quarter + 1} to {rounds} is {text_of(rise)} or more above "
                f"that after runs {quarter + 1} to {2 * quarter}; limit_growth allows {text_of(limit)}",
                *(_native_lines(marks, rise) if native > limit else ()),
                *(_python_lines(item, rounds) if python > limit or native <= limit else ()),
            ]
        )

    def _rise_beyond_pytest(self, item: Any, rounds: int) -> int:
        """As _beyond_pytest(), of the rise."""
        before = self._rise_without(item, rounds)
        mine = _rise(_run_rounds(item, 0, rounds))
        after = self._rise_without(item, rounds)
        return max(rise - max(0, *without) for rise, *without in zip(mine, before, after))

    def _rise_without(self, item: Any, rounds: int) -> Tuple[int, int]:
        with _left_out(self.empty, item):
            memory, objects = zip(*_run_rounds(item, 0, rounds))
            return _usual_rise(memory), _usual_rise(objects)


class Marks:
    """The marks in the trace between which the runs lie that a limit compares."""

    def __init__(self, item: Any, limit: str) -> None:
        self.begin, self.end = (f"{item.nodeid}: {what} of the runs that {limit} compares" for what in ("begin", "end"))


@contextmanager
def _left_out(empty: Set[Any], item: Any) -> Iterator[None]:
    """Meanwhile a test's function is left out; a coroutine is one that does nothing, since what runs it may
    keep something, too."""

    async def nothing(*_: Any, **__: Any) -> None:
        pass

    function = getattr(item, "obj", None)
    if inspect.iscoroutinefunction(function):
        item.obj = nothing
    else:
        empty.add(item)
    try:
        yield
    finally:
        empty.discard(item)
        if getattr(item, "obj", None) is nothing:
            item.obj = function


@contextmanager
def _only_new_objects() -> Iterator[None]:
    """Meanwhile the garbage collection leaves out what is there already, and takes a tenth of the time."""
    gc.collect()
    may_freeze = hasattr(gc, "freeze") and not gc.get_freeze_count()
    if may_freeze:
        gc.freeze()
    try:
        yield
    finally:
        if may_freeze:
            gc.unfreeze()


def _run_rounds(item: Any, done: int, rounds: int, marks: Optional[Marks] = None, first: int = 0) -> List[Level]:
    """Runs a test until it has run rounds times; the levels after each run, of those that are done already
    what lives now. marks: are put after the run number first, and after the last one."""
    # Numbers in an array are no objects that are kept.
    memory, objects = (array("q", [0] * rounds) for _ in range(2))
    with _only_new_objects():
        for number in range(rounds):
            if number == first and marks:
                memkit.mark(marks.begin)
            if number >= done:
                _run_once(item, number + 1)
            memory[number], objects[number] = _living()
    if marks:
        memkit.mark(marks.end)
    return [Level(memory[i], objects[i]) for i in range(rounds)]


def _kept(levels: List[Level], warm_up: int) -> List[Tuple[int, int]]:
    """What each run after the warm-up has kept, of memory and of objects."""
    return [
        (now.memory - before.memory, now.objects - before.objects)
        for before, now in zip(levels[warm_up - 1 :], levels[warm_up:])
    ]


def _quartile(values: Sequence[int], number: int) -> float:
    """0: the lower one, 2: the upper one."""
    return statistics.quantiles(values, n=4, method="inclusive")[number]


def _rise(levels: List[Level]) -> Tuple[int, int]:
    """From the highest level of the second quarter to the lowest of the last, of memory and of objects."""
    quarter = len(levels) // 4
    early, late = levels[quarter : 2 * quarter], levels[-quarter:]
    return (
        min(level.memory for level in late) - max(level.memory for level in early),
        min(level.objects for level in late) - max(level.objects for level in early),
    )


def _rise_again(item: Any, rounds: int) -> int:
    """The rise of further runs: a step of one time, as an arena of an allocator, does not come again."""
    return max(_rise(_run_rounds(item, 0, rounds)))


def _usual_rise(levels: Sequence[int]) -> int:
    """What _rise() would be without steps of one time: by the median of the slopes between two levels
    (https://en.wikipedia.org/wiki/Theil-Sen_estimator)."""
    quarter = len(levels) // 4
    counted = levels[quarter:]
    slopes = [(b - a) / (j - i) for i, a in enumerate(counted) for j, b in enumerate(counted) if j > i]
    return int(statistics.median(slopes) * (len(levels) - 3 * quarter + 1))


def _living() -> Tuple[int, int]:
    """What lives in this process: its memory and its tensors on devices, and the objects of Python at the
    least, since their memory comes in arenas. Bytes."""
    gc.collect()
    gc.collect()
    stats, until = memkit.stats(), time.monotonic() + MAX_WAIT_S
    # A test may have stopped the clock.
    for _ in range(int(MAX_WAIT_S / BETWEEN_S)):
        if stats is not None or not memkit.recording() or time.monotonic() > until:
            break
        time.sleep(BETWEEN_S)
        stats = memkit.stats()
    if stats is None:
        raise NotRepeatable("the recorder does not answer")
    size = stats.total.after + sum(stats.tensors_of(device).after for device in stats.devices())
    return size, getattr(sys, "getallocatedblocks", int)() * MIN_BLOCK


def _run_once(item: Any, number: int) -> None:
    """Runs a test once more."""
    from _pytest.runner import runtestprotocol

    # Pytest itself would keep the output of each run. Each wider fixture, and each fixture of a parameter,
    # would keep a list of the fixtures that depend on it.
    item._report_sections.clear()
    known = dict(getattr(getattr(item.session, "_fixturemanager", None), "_arg2fixturedefs", {}))
    known.update(getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}))
    wider = [definition for all_of in known.values() for definition in all_of]
    sizes = [len(getattr(definition, "_finalizers", ())) for definition in wider]
    properties = len(item.user_properties)
    for report in runtestprotocol(item, log=False, nextitem=item.parent):
        if not report.passed:
            lines = str(report.longrepr or report.outcome).strip().splitlines()
            raise NotRepeatable(f"run {number}, {report.when}: {lines[-1]}")
    del item.user_properties[properties:]
    for definition, size in zip(wider, sizes):
        if len(getattr(definition, "_finalizers", ())) > size > 0:
            del definition._finalizers[size:]


def _native_lines(marks: Marks, least: int) -> List[str]:
    """The lines that allocated between the marks what lives at the second: a tenth of least bytes or more."""
    answer = ask_recording(
        "--table=lines",
        f"--process={os.getpid()}",
        f"--since=mark:{marks.begin}",
        f"--until=mark:{marks.end}",
        f"--at=mark:{marks.end}",
    )
    lines = [(int(row["live_bytes"] or 0), int(row["live_blocks"] or 0), row["name"]) for row in answer or ()]
    return [
        f"  {text_of(size):>9} in {blocks:,} blocks  {name}"
        for size, blocks, name in sorted(lines, reverse=True)[:MAX_LINES]
        if 10 * size > least
    ]


def _python_lines(item: Any, rounds: int) -> List[str]:
    """The lines whose objects each of two further runs keeps; tracemalloc tells them."""
    import tracemalloc

    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        snapshots = []
        for number in (1, 2):
            _run_once(item, rounds + number)
            gc.collect()
            snapshots.append(tracemalloc.take_snapshot())
        before, after = snapshots
        rows = [row for row in after.compare_to(before, "lineno") if row.size_diff > 0 and row.count_diff > 0]
    except NotRepeatable:
        return []  # the leak is known, its lines are not
    finally:
        if not was_tracing:
            tracemalloc.stop()
    own = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(memkit.__file__), tracemalloc.__file__]
    own += [os.path.dirname(sys.modules[name].__file__ or "?") for name in ("pytest", "_pytest", "pluggy")]
    rows = [row for row in rows if not row.traceback[0].filename.startswith(tuple(own))]
    return [
        f"  {text_of(row.size_diff):>9} in {row.count_diff:,} objects of one run  "
        f"{os.path.relpath(row.traceback[0].filename)}:{row.traceback[0].lineno}"
        for row in rows[:MAX_LINES]
    ]
