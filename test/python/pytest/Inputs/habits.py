import itertools
import os
import signal
import subprocess
import sys

import pytest

once = []
runs = []
step_runs, fixture_runs = itertools.count(), itertools.count()


def test_big():
    bytearray(30_000_000)


@pytest.mark.limit_memory("24 MB")
def test_over():
    bytearray(30_000_000)


@pytest.mark.limit_memory("24 MB", heap="torch.*")
def test_other_heap():
    bytearray(30_000_000)


@pytest.mark.limit_memory("34 MB", current_thread_only=True)
def test_within():
    bytearray(30_000_000)


@pytest.mark.limit_leaks("0 B")
def test_once():
    assert not once
    once.append(1)


@pytest.mark.limit_leaks("much")
def test_wrong():
    pass


@pytest.mark.limit_leaks("0 B", rounds=2)
def test_few():
    pass


@pytest.mark.limit_leaks("0 B")
@pytest.mark.skip
def test_skipped():
    pass


@pytest.mark.limit_leaks("0 B")
@pytest.mark.xfail(strict=True)
def test_expected():
    raise ValueError


@pytest.mark.limit_leaks("100 KB", rounds=3)
def test_children():
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/true", ["true"])
    assert os.waitpid(pid, 0)[1] == 0
    assert subprocess.run([sys.executable, "-c", "import os; os.kill(0, 9)"], start_new_session=True).returncode == -9


@pytest.mark.limit_leaks("100 KB", rounds=3)
@pytest.mark.limit_growth("10 KB", rounds=12)
def test_every_second():
    runs.append(1)
    if len(runs) % 2:
        once.append(bytearray(10_000))


@pytest.mark.limit_leaked_objects(filter_fn=None)
def test_objects():
    once.append(object())


@pytest.mark.limit_leaked_objects
def test_no_objects():
    once.append(None)


@pytest.mark.limit_growth("0 B", rounds=7)
def test_few_for_growth():
    pass


@pytest.mark.limit_growth("0 B", rounds=12)
def test_step():
    """Fills a cache between the runs that are compared."""
    if next(step_runs) == 7:
        once.append(bytearray(100_000))


@pytest.fixture
def stepping():
    """Fills a cache in the runs without the test's function."""
    if next(fixture_runs) == 19:
        once.append(bytearray(1_000_000))


@pytest.mark.limit_growth("0 B", rounds=12)
def test_growth_beside_step(stepping):
    once.append(bytearray(10))


@pytest.mark.skipif("END" not in os.environ, reason="ends the run")
def test_end():
    os.kill(os.getpid(), signal.SIGKILL)
