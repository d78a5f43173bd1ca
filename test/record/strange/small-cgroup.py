# REQUIRES: memory-cgroup
# RUN: %cc -O1 -g -I%src_root/include %S/../bounds/Inputs/churn.c -o %t.exe
# RUN: %python %s %t.exe %t
#
# Program and memrec in a group that may have 64 MiB: what a program with a small
# live set takes to be recorded is less.

import os
import subprocess
import sys

churn, base = sys.argv[1:]
limit = 64 << 20
if os.path.exists("/sys/fs/cgroup/memory"):
    group, limits = "/sys/fs/cgroup/memory/memkit-test", ["memory.limit_in_bytes"]
else:
    group, limits = "/sys/fs/cgroup/memkit-test", ["memory.max"]
os.makedirs(group, exist_ok=True)
try:
    for name in limits:
        with open(os.path.join(group, name), "w") as f:
            f.write(str(limit))

    def enter():
        with open(os.path.join(group, "cgroup.procs"), "w") as f:
            f.write(str(os.getpid()))

    subprocess.run(["memrec", "-q", "-o", base + ".fb", churn, "5", "200000"],
                   check=True, preexec_fn=enter, timeout=120)
finally:
    os.rmdir(group)
subprocess.run(["memdump", "--check", base + ".fb"], check=True, stdout=subprocess.DEVNULL)
