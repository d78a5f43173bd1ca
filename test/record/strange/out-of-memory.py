# REQUIRES: memory-cgroup
# RUN: %cc -O0 -g %S/Inputs/eat.c -o %t.exe
# RUN: %python %s %t.exe %t
#
# Program and memrec in a group that may have 96 MiB, and a program that wants 200:
# the kernel kills it, memrec says so, and the trace has what it held.

import os
import re
import subprocess
import sys

program, base = sys.argv[1:]
limit = 96 << 20
if os.path.exists("/sys/fs/cgroup/memory"):
    group, limits = "/sys/fs/cgroup/memory/memkit-test-oom", "memory.limit_in_bytes"
else:
    group, limits = "/sys/fs/cgroup/memkit-test-oom", "memory.max"
os.makedirs(group, exist_ok=True)
try:
    with open(os.path.join(group, limits), "w") as f:
        f.write(str(limit))

    def enter():
        with open(os.path.join(group, "cgroup.procs"), "w") as f:
            f.write(str(os.getpid()))

    done = subprocess.run(["memrec", "-o", base + ".fb", program], preexec_fn=enter, timeout=120,
                          stderr=subprocess.PIPE, text=True)
finally:
    os.rmdir(group)
assert done.returncode == 128 + 9, (done.returncode, done.stderr)
lines = done.stderr.splitlines()
assert lines[0] == "memrec: the program was killed by signal 9, Killed", lines
assert lines[1] == ("memrec: out of memory: the kernel killed 1 process of this control group "
                    "(limit 96 MiB) during the recording"), lines

# The first lines are the answer, from the trace alone.
page = subprocess.run(["memstat", base + ".fb"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert re.match(r"\S+: peak [0-9.]+ MiB at .*; killed by the kernel: out of memory[;\n]", page), page
assert re.search(r"! out of memory +the kernel killed \S+ at \S+ \S+: its control group is limited to 96 MiB;", page), page
assert re.search(r"held then +[0-9.]+ MiB: eat.c:7 main (100.0|99.\d) %\n", page), page
assert re.search(r"to change +more memory for the control group; hold less in eat.c:7 main\n", page), page
oom = subprocess.run(["memdump", "--oom", base + ".fb"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert oom.startswith("the kernel killed "), oom

leaks = subprocess.run(["memleak", "-v", base + ".fb"], check=True, stdout=subprocess.PIPE, text=True).stdout
# On a busy machine it runs for long enough to be told of as growth, too.
live = re.search(r"^([0-9.]+) MiB in ", leaks, re.MULTILINE)
assert live, leaks
held = float(live.group(1))
assert 20 < held < 96, leaks
assert re.search(r"main \(.*eat.c:7\)", leaks), leaks
