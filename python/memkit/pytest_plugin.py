# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``pytest --memkit``: the memory of each test, and limits that fail a test.

    pytest --memkit                     # records the tests, tells which took most
    pytest --memkit=fast                # the same of a sample of the blocks

    @pytest.mark.limit_memory("24 MB")              # the peak above the begin of the test
    @pytest.mark.limit_leaks("0 B", rounds=5)       # what each further run of the test keeps

The trace is ``trace.fb`` (``--memkit-output``), for memstat, memleak, memflame and memview. Without
``--memkit`` the plugin does nothing, and the marks are only names.
"""

import gc
import json
import os
import re
import subprocess
import sys
from array import array
from fnmatch import fnmatch
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, TypeVar

import pytest

#: Rounds of limit_leaks in which caches may fill.
WARM_UP = 2
#: The least size of a block of Python's allocator.
MIN_BLOCK = 16
#: What pytest and its plugins may keep of a run of a test, in bytes.
MAX_OF_PYTEST = 1024
#: Further runs where a run keeps so little.
MORE_ROUNDS = 20
#: Lines of a failure.
MAX_LINES = 5
#: The property of a test that failed when it ran again.
NOT_REPEATABLE = "memkit-not-repeatable"
LISTS = (("highest above its begin", 0), ("most allocated", 1), ("most kept", 2))
MARKS = (
    "limit_memory(size, heap=None): fails if the test's peak rises by more than size above its begin "
    "(pytest --memkit); heap: of the heaps whose names match, as 'torch.*'",
    "limit_leaks(size, rounds=5): runs the test several times, and fails if each run after the second keeps "
    "more than size (pytest --memkit)",
)


_F = TypeVar("_F", bound=Callable[..., Any])


def _hook(**options: bool) -> Callable[[_F], _F]:
    """pytest.hookimpl, with types."""
    hook: Callable[[_F], _F] = pytest.hookimpl(**options)
    return hook


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("memkit", "memory of tests, by memkit")
    group.addoption(
        "--memkit", action="store_const", const="full", dest="memkit", help="record the memory of the tests"
    )
    # As an option of its own: an optional value would take the path that follows.
    group.addoption(
        "--memkit=fast", action="store_const", const="fast", dest="memkit", help="the same of samples: cheaper"
    )
    group.addoption("--memkit-output", metavar="FILE", default="trace.fb", help="the trace (default: trace.fb)")
    group.addoption("--memkit-top", metavar="N", type=int, default=5, help="tests in each list (default: 5)")


def pytest_configure(config: Any) -> None:
    for text in MARKS:
        config.addinivalue_line("markers", text)
    if config.getoption("memkit", None) and _is_recorded():
        for plugin in (_Scopes(), _Rounds(), _Summary(config)):
            config.pluginmanager.register(plugin)


@_hook(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Iterator[None]:
    # Before pytest captures the output, and before it imports the program's code.
    known = early_config.known_args_namespace
    if getattr(known, "memkit", None) and "PYTEST_XDIST_WORKER" not in os.environ and not _is_recorded():
        _start_again(early_config, known)
    yield


# ---- the recording ----


def _is_recorded() -> bool:
    from . import _native

    return _native.library is not None


def _command_line() -> List[str]:
    """This interpreter with the arguments with which it was started."""
    original = getattr(sys, "orig_argv", None)
    if original:
        return [sys.executable, *original[1:]]
    flags: List[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    is_module = os.path.basename(sys.argv[0]) == "__main__.py"
    return [sys.executable, *flags, *(["-m", "pytest"] if is_module else sys.argv[:1]), *sys.argv[1:]]


def _start_again(config: Any, known: Any) -> None:
    """Replaces this process by memrec, which starts it again."""
    from .__main__ import find_memrec

    memrec = find_memrec()
    if memrec is None:
        raise pytest.UsageError("--memkit: memrec is neither installed with the package memkit nor on PATH")
    if os.environ.get("MEMKIT_PYTEST"):
        sys.stderr.write("memkit: this Python is not recorded; the tests run without memkit\n")
        known.memkit = None
        return
    if tuple(config.invocation_params.args) != tuple(sys.argv[1:]):
        raise pytest.UsageError("--memkit: a program has started pytest; record it: memrec -- python PROGRAM")
    sample = ["--sample=64K"] if known.memkit == "fast" else []
    os.environ["MEMKIT_PYTEST"] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(memrec, ["memrec", "-q", *sample, "-o", known.memkit_output, "--", *_command_line()])


def _ask_recording(*arguments: str) -> Any:
    """What memdump says of this recording up to now, as JSON; None: it does not say it."""
    from .__main__ import find_memrec

    memdump = os.path.join(os.path.dirname(find_memrec() or ""), "memdump")
    try:
        got = subprocess.run(
            [memdump, "-q", "--format=json", *arguments, f"live:{os.getpid()}"],
            env={**os.environ, "MEMREC_FOLLOW": "0"},  # not recorded itself
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )
        return json.loads(got.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


# ---- sizes ----

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _UNITS.update({_letter: 1024**_power, _letter + "B": 1000**_power, _letter + "iB": 1024**_power})


def _bytes_of(size: Any) -> int:
    """``"24 MB"``, ``"1.5 GiB"``, a number of bytes. ValueError: neither."""
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", str(size))
    units = {unit.lower(): factor for unit, factor in _UNITS.items()}
    if not found or found[2].lower() not in units:
        raise ValueError(f"no size: {size!r}; a size is '24 MB', '1.5 GiB', '0 B' or a number of bytes")
    return int(float(found[1]) * units[found[2].lower()])


def _text_of(size: int) -> str:
    number, units = float(abs(size)), ["B", "KiB", "MiB", "GiB", "TiB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    text = f"{number:.0f}" if units[0] == "B" else f"{number:.3g}"
    return f"{'-' if size < 0 else ''}{text} {units[0]}"


# ---- limits ----


def _limit_of(mark: Any, names: Tuple[str, ...]) -> Dict[str, Any]:
    """The arguments of a mark, by name. ValueError: wrong ones."""
    given = dict(zip(names, mark.args), **mark.kwargs)
    # Of pytest-memray's marks of the same names.
    for other in ("current_thread_only", "filter_fn"):
        given.pop(other, None)
    given["size"] = given.pop("location_limit", given.pop("memory_limit", given.get("size")))
    unknown = set(given) - set(names)
    if len(mark.args) > len(names) or unknown or given["size"] is None:
        raise ValueError(f"{mark.name} takes {', '.join(names)}")
    given["size"] = _bytes_of(given["size"])
    return given


def _check_peak(scope: Any, mark: Any) -> None:
    """Fails if the memory of a scope rose by more than limit_memory allows."""
    limit = _limit_of(mark, ("size", "heap"))
    stats = scope.stats
    if stats is None:
        return
    pattern = limit.get("heap")
    heaps = [stats.total] if pattern is None else [h for h in stats.heaps.values() if fnmatch(h.name, pattern)]
    rise = sum(heap.peak - heap.before for heap in heaps)
    if rise > limit["size"]:
        what = "" if pattern is None else f" in {pattern}"
        pytest.fail(
            f"memkit: the memory rose by {_text_of(rise)}{what} above the begin of the test; "
            f"limit_memory allows {_text_of(limit['size'])}",
            pytrace=False,
        )


class _Scopes:
    """A scope for each test, and one for each of its phases."""

    @_hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        import memkit

        with memkit.scope(item.nodeid):
            yield

    @_hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> Iterator[None]:
        import memkit

        with memkit.scope(item.nodeid + " [setup]"):
            yield

    @_hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        import memkit

        scope = memkit.scope(item.nodeid + " [call]")
        with scope:
            outcome = yield
        mark = item.get_closest_marker("limit_memory")
        if mark is None or outcome.excinfo is not None:  # type: ignore[attr-defined]
            return
        try:
            _check_peak(scope, mark)
        except (pytest.fail.Exception, ValueError) as failure:
            outcome.force_exception(failure)  # type: ignore[attr-defined]

    @_hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: Any) -> Iterator[None]:
        import memkit

        with memkit.scope(item.nodeid + " [teardown]"):
            yield


def _living() -> Tuple[int, int]:
    """What lives in this process: its memory and its tensors on devices, in bytes (-1: not known), and
    the blocks of Python's allocator, whose memory comes in arenas."""
    import memkit

    gc.collect()
    gc.collect()
    stats = memkit.stats()
    size = -1
    if stats is not None:
        size = stats.total.after + sum(stats.tensors_of(device).after for device in stats.devices())
    return size, getattr(sys, "getallocatedblocks", int)()


class _Rounds:
    """Runs tests with limit_leaks again and again. Fixtures of a function are made anew each time."""

    def __init__(self) -> None:
        #: Tests whose function is left out, so that only fixtures and pytest itself run.
        self.empty: Set[Any] = set()

    @_hook(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> Optional[bool]:
        return True if pyfuncitem in self.empty else None

    @_hook(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Optional[bool]:
        mark = item.get_closest_marker("limit_leaks")
        if mark is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports(item, nextitem, mark):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _reports(self, item: Any, nextitem: Any, mark: Any) -> List[Any]:
        """The reports of the first run, which fails if the test leaks."""
        from _pytest.runner import runtestprotocol

        # For the parent as the next item, fixtures of the function end, and no wider ones.
        reports: List[Any] = runtestprotocol(item, log=False, nextitem=item.parent)
        call = next((report for report in reports if report.when == "call"), None)
        if call is not None and all(report.passed for report in reports):
            try:
                limit = _limit_of(mark, ("size", "rounds"))
                self._run_again(item, call, limit["size"], int(limit.get("rounds", 5)))
            except _NotRepeatable as why:
                call.user_properties.append((NOT_REPEATABLE, str(why)))
            except ValueError as problem:
                call.outcome, call.longrepr = "failed", f"memkit: {problem}"
        # Fixtures that the next test does not have end now.
        ended = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown")
        if ended.excinfo is not None:
            reports.append(item.ihook.pytest_runtest_makereport(item=item, call=ended))
        return reports

    def _run_again(self, item: Any, call: Any, limit: int, rounds: int) -> None:
        """Runs the test until rounds runs are over, and lets its report fail if it leaks."""
        import memkit

        if rounds <= WARM_UP:
            raise ValueError(f"limit_leaks: rounds={rounds}; the first {WARM_UP} are for caches, so at least 3")
        begin, end = (f"{item.nodeid}: {what} of the runs that limit_leaks compares" for what in ("begin", "end"))
        rounds_kept = _run_rounds(item, 1, rounds, begin)
        memkit.mark(end)
        kept = [max(pair) for pair in rounds_kept]
        least = min(kept)
        if limit < least <= limit + MAX_OF_PYTEST:
            least = min(least, self._beyond_pytest(item, rounds))
        if least > limit:
            is_native, is_python = (min(which) > limit for which in zip(*rounds_kept))
            lines = [
                f"memkit: each run keeps {_text_of(least)} or more (runs {WARM_UP + 1} to {rounds}: "
                f"{', '.join(map(_text_of, kept))}); limit_leaks allows {_text_of(limit)}",
                *(_native_lines(begin, end, least * len(kept)) if is_native else ()),
                *(_python_lines(item, rounds) if is_python or not is_native else ()),
            ]
            call.outcome, call.longrepr = "failed", "\n".join(lines)

    def _beyond_pytest(self, item: Any, rounds: int) -> int:
        """What each run keeps, in bytes, where that is little: the interpreter's caches take some ten runs,
        and pytest, its plugins and fixtures may keep something of each."""
        least = min(map(max, _run_rounds(item, 0, MORE_ROUNDS, None)))
        if least > 0:
            self.empty.add(item)
            try:
                least -= max(0, min(map(max, _run_rounds(item, 0, rounds, None))))
            finally:
                self.empty.discard(item)
        return least


def _run_rounds(item: Any, done: int, rounds: int, mark: Optional[str]) -> List[Tuple[int, int]]:
    """Runs a test until it has run rounds times. What each run after the warm-up has kept: bytes of
    memory, and bytes of objects of Python at the least, which may lie in memory that was there.
    mark: is put after the warm-up."""
    import memkit

    # Numbers in an array are no objects that are kept.
    sizes, blocks = (array("q", [0] * rounds) for _ in range(2))
    for number in range(rounds):
        if number == WARM_UP and mark:
            memkit.mark(mark)
        if number >= done:
            _run_once(item, number + 1)
        sizes[number], blocks[number] = _living()
    is_known = min(sizes) >= 0
    return [
        (sizes[i] - sizes[i - 1] if is_known else 0, (blocks[i] - blocks[i - 1]) * MIN_BLOCK)
        for i in range(WARM_UP, rounds)
    ]


class _NotRepeatable(Exception):
    """A further run of a test failed."""


def _run_once(item: Any, number: int) -> None:
    """Runs a test once more."""
    from _pytest.runner import runtestprotocol

    # What pytest itself would keep of each run: what the test has printed, and, in wider fixtures, that
    # fixtures of the function depend on them.
    item._report_sections.clear()
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    wider = [definition for all_of in known.values() for definition in all_of]
    sizes = [len(getattr(definition, "_finalizers", ())) for definition in wider]
    for report in runtestprotocol(item, log=False, nextitem=item.parent):
        if not report.passed:
            lines = str(report.longrepr or report.outcome).strip().splitlines()
            raise _NotRepeatable(f"run {number}, {report.when}: {lines[-1]}")
    for definition, size in zip(wider, sizes):
        if len(getattr(definition, "_finalizers", ())) > size > 0:
            del definition._finalizers[size:]


def _native_lines(begin: str, end: str, least: int) -> List[str]:
    """The lines that allocated what lives at the mark end, since the mark begin: a tenth of least bytes or
    more."""
    answer = _ask_recording(
        "--table=lines", f"--process={os.getpid()}", f"--since=mark:{begin}", f"--until=mark:{end}", f"--at=mark:{end}"
    )
    rows = [row for row in (answer or {}).get("lines", []) if 10 * (row.get("live_bytes") or 0) > least]
    rows.sort(key=lambda row: -row["live_bytes"])
    return [
        f"  {_text_of(row['live_bytes']):>9} in {row['live_blocks']:,} blocks  {row['name']}" for row in rows[:MAX_LINES]
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
    except _NotRepeatable:
        return []  # the leak is known, its lines are not
    finally:
        if not was_tracing:
            tracemalloc.stop()
    own = [os.path.dirname(os.path.abspath(__file__)), tracemalloc.__file__]
    own += [os.path.dirname(sys.modules[name].__file__ or "?") for name in ("pytest", "_pytest", "pluggy")]
    rows = [row for row in rows if not row.traceback[0].filename.startswith(tuple(own))]
    return [
        f"  {_text_of(row.size_diff):>9} in {row.count_diff:,} objects of one run  "
        f"{os.path.relpath(row.traceback[0].filename)}:{row.traceback[0].lineno}"
        for row in rows[:MAX_LINES]
    ]


class _Summary:
    """Tells at the end which tests took most."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self.tests: Dict[str, None] = {}
        self.not_repeatable: Dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.tests[report.nodeid] = None
        for name, text in report.user_properties:
            if name == NOT_REPEATABLE:
                self.not_repeatable[report.nodeid] = text

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.tests:
            return
        write, output = terminalreporter.write_line, self.config.getoption("memkit_output")
        terminalreporter.section(f"memkit: memory of {len(self.tests)} test{'' if len(self.tests) == 1 else 's'}")
        rows = self._rows()
        if rows is None:
            write("the recorder does not answer")
        for title, column in LISTS if rows else ():
            most = sorted((rows or {}).items(), key=lambda row: -row[1][column])[: self.config.getoption("memkit_top")]
            write(title)
            for name, values in most:
                if values[column] > 0:
                    write(f"  {_text_of(values[column]):>9}  {name}")
        for name, why in self.not_repeatable.items():
            write(f"not repeatable: {name} ({why})")
        write(f"{output} has all of it: memstat {output}; memview {output}")

    def _rows(self) -> "Optional[Dict[str, List[int]]]":
        """Of each test: peak above the begin, allocated, kept; None: not known."""
        answer = _ask_recording("--scopes")
        if answer is None:
            return None
        rows: Dict[str, List[int]] = {}
        for scope in answer.get("scopes", []):
            if scope["name"] not in self.tests:
                continue
            row = rows.setdefault(scope["name"], [0, 0, 0])
            row[0] = max(row[0], scope["rise_bytes"])
            row[1] += scope["allocated_bytes"]
            row[2] += scope["allocated_bytes"] - scope["freed_bytes"]
        return rows
