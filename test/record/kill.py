# RUN: %cc -O1 %S/Inputs/counter.c -o %t.counter
# RUN: %python %s %t.counter %t 100
#
# kill -9 at a random moment loses nothing that was completed: the program counts
# its completed allocations in a shared file, and the trace holds as many, or the
# one more that was on its way.

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time

counter, base, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(1)
for i in range(rounds):
    count_file, trace = base + ".count", base + ".fb"
    with open(count_file, "wb") as f:
        f.write(bytes(16))
    recorder = subprocess.Popen(["memrec", "-q", "-o", trace, counter, count_file])
    while True:
        with open(count_file, "rb") as f:
            count, pid = struct.unpack("QQ", f.read())
        if count:
            break
        time.sleep(0.001)
    time.sleep(random.random() * 0.1)
    os.kill(pid, signal.SIGKILL)
    assert recorder.wait() == 137, recorder.returncode
    with open(count_file, "rb") as f:
        count, _ = struct.unpack("QQ", f.read())
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    summary = json.loads(subprocess.run(
        ["memdump", "--summary", "--format=json", trace],
        check=True, capture_output=True).stdout)
    # The map of the shared file is another heap's.
    got = {h["name"]: h["allocations"] for h in summary["heaps"]}["host.malloc"]
    assert summary["events"]["lost"] == 0, summary["events"]
    assert count <= got <= count + 1, (count, got)
    assert summary["processes"][0]["exit_status"] == 137, summary["processes"]
