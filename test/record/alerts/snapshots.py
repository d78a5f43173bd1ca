# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%src_root/python memrec -q -o t.fb -- %python %s recorded
# RUN: env PYTHONPATH=%src_root/python %python %s alone
#
# memkit.on_snapshot(): numbers now and then, at a step or a check, and in no other thread.

import sys
import threading
import time

import memkit

is_recorded = sys.argv[1] == "recorded"
got, other = [], []
for every in (0, -1, float("nan")):
    try:
        memkit.on_snapshot(got.append, every=every)
        raise SystemExit("no ValueError")
    except ValueError as problem:
        assert "a number of seconds above 0" in str(problem)


def take(stats):
    got.append((stats, threading.get_ident()))
    memkit.check()  # inside a callback: none


assert memkit.on_snapshot(take, every=0.2) is is_recorded
assert memkit.on_snapshot(lambda stats: other.append(stats), every=1000) is is_recorded
kept = []
begin = time.monotonic()
while len(got) < 3 and time.monotonic() - begin < (60 if is_recorded else 1):
    kept.append(bytearray(100_000))
    (memkit.step if len(kept) % 2 else memkit.check)()
    time.sleep(0.01)
took = time.monotonic() - begin
if not is_recorded:
    assert not got and not other
    sys.exit()
assert len(got) == 3 and not other, (got, other)
assert took >= 0.6, took
assert all(thread == threading.get_ident() for _, thread in got)
sizes = [stats.total.after for stats, _ in got]
assert sizes == sorted(sizes) and sizes[2] - sizes[0] >= 100_000, sizes
# Nothing comes without a step or a check.
time.sleep(0.5)
assert len(got) == 3


def fails(stats):
    raise KeyError("mine")


memkit.on_snapshot(fails, every=0.001)
time.sleep(0.01)
try:
    memkit.step()
    raise SystemExit("no KeyError")
except KeyError:
    pass
