# RUN: %cc -O1 -g -I%src_root/include %S/../bounds/Inputs/churn.c -o %t.exe
# RUN: %python %s %t.exe %t 20
#
# kill -9 of memrec at a random moment: the program ends with its output and status,
# and what was written can be read.

import os
import random
import signal
import subprocess
import sys
import time

churn, base, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(1)
trace = base + ".fb"
for i in range(rounds):
    for path in (base + ".done", base + ".begun", trace):
        if os.path.exists(path):
            os.remove(path)
    recorder = subprocess.Popen(
        ["memrec", "-q", "-o", trace, "sh", "-c",
         ": > %s.begun; %s 4 100000 1000; echo $? > %s.new; mv %s.new %s.done"
         % (base, churn, base, base, base)])
    while not os.path.exists(trace):
        time.sleep(0.001)
    time.sleep(random.random() * 0.2)
    os.kill(recorder.pid, signal.SIGKILL)
    recorder.wait()
    begin = time.monotonic()
    while not os.path.exists(base + ".done"):
        waited = time.monotonic() - begin
        # One that is killed before it has started the program has none to end.
        if waited > 2 and not os.path.exists(base + ".begun"):
            break
        assert waited < 60, "the program does not end"
        time.sleep(0.005)
    if os.path.exists(base + ".done"):
        assert open(base + ".done").read() == "0\n"
    read = subprocess.run(["memdump", "--check", trace], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # Before the header is out there is nothing to read.
    assert read.returncode == 0 or "cut off at offset 0" in read.stderr or "empty" in read.stderr, read.stderr
print(rounds, "kills")
