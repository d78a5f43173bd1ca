# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs memdump --symbolize --perf-map=default with maps of this process in FOLDER's trace.

    usual-map.py FOLDER"""

import os
import subprocess
import sys
import time

folder = sys.argv[1]
pid = os.getpid()
usual = f"/tmp/perf-{pid}.map"
with open("/proc/sys/kernel/random/boot_id") as file:
    boot = file.read().strip()
trace = f"""header boot-id="{boot}" start=[0 0 {time.time_ns()}]
dictionary
  frame 1 unknown address=0x1008
  stack 1 frames=[1]
  heap 1 name="host.malloc"
  process 1 pid={pid}
  thread 1 process=1 tid={pid}
events process=1
  100 th1 alloc size=1 stack=1 heap=1
complete
"""
subprocess.run(["memas", "--summarize", "-", "-o", f"{folder}/t.fb"], input=trace, text=True, check=True)


def symbolize(what):
    print(what, flush=True)
    command = ["memdump", "--symbolize", "--perf-map=default", f"{folder}/t.fb", "-o", f"{folder}/o.fb"]
    subprocess.run(command, stderr=subprocess.STDOUT, check=True)


def write(path):
    with open(path, "w") as file:
        file.write("1000 10 compiled\n")


try:
    write(usual)
    symbolize("written")
    os.unlink(usual)
    write(f"{folder}/map")
    os.symlink(f"{folder}/map", usual)
    symbolize("link")
    os.unlink(usual)
    write(usual)
    os.utime(usual, (1, 1))
    symbolize("older")
    os.unlink(usual)
    symbolize("missing")
finally:
    if os.path.lexists(usual):
        os.unlink(usual)
