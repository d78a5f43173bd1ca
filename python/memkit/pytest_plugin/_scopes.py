# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scope for each test, and the limits that its own scope decides."""

from typing import Any, Iterator, Optional

import pytest

import memkit

from ._baseline import KEYS, Baseline, Memory
from ._hook import hook
from ._limits import check_peak


#: The least size of an arena: 1 MiB from Python 3.10 on.
ARENA = 256 << 10


class Scopes:
    """A scope for each test, and one for each of its phases."""

    def __init__(self, baseline: Optional[Baseline]) -> None:
        self.baseline = baseline

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        with memkit.scope(item.nodeid):
            yield

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> Iterator[None]:
        with memkit.scope(item.nodeid + " [setup]"):
            yield

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        scope = memkit.scope(item.nodeid + " [call]")
        with scope:
            outcome = yield
        if outcome.excinfo is not None:  # type: ignore[attr-defined]
            return
        try:
            check_peak(scope, item.get_closest_marker("limit_memory"))
            self._compare(item, scope)
        except (pytest.fail.Exception, ValueError) as failure:
            outcome.force_exception(failure)  # type: ignore[attr-defined]

    @hook(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: Any) -> Iterator[None]:
        with memkit.scope(item.nodeid + " [teardown]"):
            yield

    def _compare(self, item: Any, scope: Any) -> None:
        """Fails if the test takes more than its baseline allows, and does so again: the first one to
        import a module pays for it, and one of some tests for an arena of Python's allocator."""
        # To ask for each test takes a millisecond.
        memory = Memory.of(scope) if self.baseline else None
        if self.baseline is None or memory is None:
            return
        may_pay = self.baseline.update and memory.peak_bytes >= ARENA
        if may_pay or self.baseline.excess(item.nodeid, memory):
            memory = memory.lower(_again(item))
        # Also for JUnit's file of results.
        item.user_properties += [("memkit_" + key, getattr(memory, key)) for key in KEYS]
        why = self.baseline.excess(item.nodeid, memory)
        if why:
            pytest.fail("memkit: " + why, pytrace=False)


def _again(item: Any) -> Optional[Memory]:
    """What a second call of the test takes; None: it fails."""
    scope = memkit.scope(item.nodeid + " [call again]")
    try:
        with scope:
            item.runtest()
    except (Exception, pytest.fail.Exception, pytest.skip.Exception):
        return None
    return Memory.of(scope)
