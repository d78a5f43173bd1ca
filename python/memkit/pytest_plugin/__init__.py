# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``pytest --memkit``: the memory of each test, and limits that fail a test.

    pytest --memkit                     # records the tests, tells which took most
    pytest --memkit=fast                # the same of a sample of the blocks
    pytest --memkit --memkit-baseline=memory.json   # compares each test with what it took before

    @pytest.mark.limit_memory("24 MB")              # the peak above the begin of the test
    @pytest.mark.limit_leaks("0 B", rounds=5)       # what each further run of the test keeps
    @pytest.mark.limit_growth("1 MB", rounds=20)    # how far the memory rises over many runs

The trace is ``trace.fb`` (``--memkit-output``), for memstat, memleak, memflame and memview. Without
``--memkit`` the plugin does nothing, and the marks are only names.
"""

import os
from typing import Any, Iterator, Optional

from ._baseline import Baseline
from ._hook import hook
from ._recording import IN_WORKER, is_recorded, start_again, start_early
from ._rounds import Rounds
from ._scopes import Scopes
from ._summary import Summary

start_early()

MARKS = (
    "limit_memory(size, heap=None): fails if the test's peak rises by more than size above its begin "
    "(pytest --memkit); heap: of the heaps whose names match, as 'torch.*'",
    "limit_leaks(size, rounds=5): runs the test several times, and fails if each run after the second keeps "
    "more than size (pytest --memkit)",
    "limit_leaked_objects(rounds=5): the same of objects of Python alone (pytest --memkit)",
    "limit_growth(size, rounds=20): runs the test many times, and fails if the memory after the last quarter of "
    "the runs lies more than size above that after the second quarter (pytest --memkit)",
)


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
    group.addoption(
        "--memkit-baseline",
        metavar="FILE",
        help="a test fails if it takes more than FILE says that it took before; FILE is made if there is none",
    )
    group.addoption(
        "--memkit-baseline-update", action="store_true", help="take this run into the file of baselines; no test fails"
    )


def pytest_configure(config: Any) -> None:
    for text in MARKS:
        config.addinivalue_line("markers", text)
    if config.getoption("memkit", None) and is_recorded():
        baseline = _baseline_of(config)
        for plugin in (Scopes(baseline), Rounds(), Summary(config, baseline)):
            config.pluginmanager.register(plugin)


def _baseline_of(config: Any) -> Optional[Baseline]:
    path = config.getoption("memkit_baseline")
    if not path:
        return None
    # xdist's workers get the options as they are now, and may run in other folders.
    config.option.memkit_baseline = os.path.join(str(config.invocation_params.dir), path)
    return Baseline(
        config.option.memkit_baseline,
        update=config.getoption("memkit_baseline_update"),
        sampled=config.getoption("memkit") == "fast",
    )


@hook(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> Iterator[None]:
    # Before pytest captures the output, and before it imports the program's code.
    known = early_config.known_args_namespace
    if getattr(known, "memkit", None) and IN_WORKER not in os.environ and not is_recorded():
        start_again(early_config, known)
    yield
