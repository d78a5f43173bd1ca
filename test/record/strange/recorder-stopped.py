# RUN: %cc -O1 -g -I%src_root/include %S/../bounds/Inputs/churn.c -o %t.exe
# RUN: %python %s %t.exe %t
#
# memrec is stopped at random moments. The program waits once, as long as it was
# told to, then drops what it has to say; when memrec goes on it counts what was lost.

import json
import os
import random
import signal
import subprocess
import sys
import time



def wait_for_work(program):
    """Until the program has used processor time beyond its start: it is recorded then."""
    begin, name = time.monotonic(), os.path.realpath(program)
    while time.monotonic() - begin < 60:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid) as stat:
                    ticks = int(stat.read().rsplit(")", 1)[1].split()[11])
                if ticks >= 3 and os.readlink("/proc/%s/exe" % pid) == name:
                    return
            except OSError:
                pass
        time.sleep(0.005)
    raise AssertionError("the program does not start")


churn, base = sys.argv[1:]
random.seed(1)
trace = base + ".fb"
for i in range(3):
    recorder = subprocess.Popen(
        ["memrec", "--on-full=wait:200ms", "-q", "-o", trace, "sh", "-c",
         "%s 10 200000; : > %s.done; exit 4" % (churn, base)])
    wait_for_work(churn)
    time.sleep(random.random() * 0.1)
    recorder.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    while not os.path.exists(base + ".done"):
        assert time.monotonic() - begin < 60, "the program does not end"
        time.sleep(0.01)
    os.remove(base + ".done")
    recorder.send_signal(signal.SIGCONT)
    assert recorder.wait() == 4, recorder.returncode
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    events = json.loads(subprocess.run(["memdump", "--summary", "--format=json", trace],
                                       check=True, stdout=subprocess.PIPE).stdout)["events"]
    # Two million blocks come and go.
    assert events["lost"] > 0, events
    assert events["allocations"] + events["lost"] >= 1_900_000, events
