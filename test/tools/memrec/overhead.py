# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env TMPDIR=%t %python %s
#
# What recording costs a program: pairs of runs, ratios with intervals; no trace is left.

import os
import re
import signal
import subprocess
import sys
import time

PROGRAM = "import sys, time; kept = [bytearray(1000) for _ in range(20000)]; time.sleep(0.2); sys.exit(%d)"


def overhead(*arguments, status=0):
    run = subprocess.run(["memrec", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.returncode == status, run
    return run.stdout, run.stderr


RATIO = r"×([\d.]+) \(95 %: ×([\d.]+) to ×([\d.]+)\), [\d.]+ m?s alone, [\d.]+ m?s recorded"
out, err = overhead("--overhead=3", "--", sys.executable, "-c", PROGRAM % 0)
lines = out.splitlines()
assert len(lines) == 4 and err == "", (out, err)
for line, name in zip(lines, ("time", "processor time")):
    mean, low, high = map(float, re.fullmatch(name + " +" + RATIO, line).groups())
    assert low <= mean <= high and mean > 0.5, line
assert re.fullmatch(r"added +\S+ \S+ of processor time: \S+ \S+ take the events, \S+ \S+ in the program, .*", lines[2]), out
events = re.fullmatch(r"events +([\d,]+) a run; \d+ ns each to take them, \d+ ns the rest; none lost", lines[3])
assert int(events[1].replace(",", "")) > 20000, out

# Options of memrec hold for the recorded runs; five pairs without a number; the program's status.
out, err = overhead("--overhead", "--heap=host.mmap", "--", sys.executable, "-c", PROGRAM % 7)
assert int(re.search(r"events +([\d,]+) a run", out)[1].replace(",", "")) < 5000, out
assert "warning: the program ends with status 7, alone and recorded" in err, err
out, err = overhead("--overhead=2", "--", "true")
assert "the program is short: most of this is the start" in err, err

# Wrong usage, programs that cannot be run.
for pairs in ("1", "x", "1001", "-2"):
    out, err = overhead("--overhead=" + pairs, "--", "true", status=125)
    assert "--overhead: 2 to 1000 pairs, not '%s'" % pairs in err, err
out, err = overhead("--overhead=2", "--", "./none", status=125)
assert "./none: the recorded run did not work" in err, err
out, err = overhead("--overhead=2", "--run", "--", "true", status=125)
assert "--overhead has no page" in err, err

# Ctrl-C ends it, and what it has written is gone.
run = subprocess.Popen(["memrec", "--overhead=500", "--", "sleep", "0.1"], start_new_session=True)
time.sleep(1)
os.killpg(run.pid, signal.SIGINT)
assert run.wait(60) == 130, run.returncode
assert not [name for name in os.listdir(".") if name.startswith("memkit-")], os.listdir(".")
