# RUN: env PYTHONPATH=%src_root/python memrec -o %t.fb %python %s run 2> %t.err
# RUN: FileCheck %s --input-file=%t.err --check-prefix=ERR
# RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS
# RUN: env PYTHONPATH=%src_root/python %python %s alone
#
# Alerts in a program: callbacks run in step() and check() alone, in their thread; the watchdog
# cleans, and the trace says what that gave back. Without memrec nothing happens.

import sys
import threading
import time

import memkit

if sys.argv[1] == "alone":
    assert memkit.alert("host:live>1MiB", print) is False
    assert memkit.watchdog(clean=print) is False
    memkit.check()
    memkit.step()
    sys.exit()

seen = []
cache = []
assert memkit.alert("host:live>30MiB", lambda a: seen.append((a, threading.get_ident())))
assert memkit.alert("host:life>30MiB", seen.append)  # memrec warns
assert memkit.watchdog(conditions=["host:live>50MiB"], clean=[cache.clear, lambda: None])


def wait(until):
    for _ in range(400):
        memkit.check()
        if until():
            return
        time.sleep(0.005)
    raise AssertionError(seen)


while len(cache) < 40:
    cache.append(bytearray(1 << 20))
time.sleep(0.1)
assert not seen, "a callback ran outside of step() and check()"
wait(lambda: seen)
assert len(seen) == 1 and seen[0][0].condition == "host:live>30MiB", seen
assert seen[0][0].bound == 30 << 20 and 30 << 20 < seen[0][0].value < 34 << 20, seen
assert seen[0][1] == threading.get_ident()

# The watchdog, at a step.
while len(cache) < 60:
    cache.append(bytearray(1 << 20))
for _ in range(400):
    memkit.step()
    if not cache:
        break
    time.sleep(0.005)
assert not cache, "the watchdog did not clean"

# Again, after the value has fallen.
time.sleep(0.3)
while len(cache) < 40:
    cache.append(bytearray(1 << 20))
wait(lambda: len(seen) == 2)

# Every process has so many alerts.
assert all(memkit.alert(f"host:live>{n}TiB", print) for n in range(1, 30))
assert not memkit.alert("host:live>1TiB", print)

# ERR: memrec: warning: memkit.alert: 'host:life>30MiB'; did you mean 'host:live>30MiB'?
# ERR: memrec: alert at {{.*}}: host: 3{{.*}} MiB live, above 30 MiB (host:live>30MiB)
# MARKS: user  watchdog: host:live>50MiB: {{.*}}clear gave back {{[56][0-9.]*}} MiB, {{.*}}lambda{{.*}} gave back
