# RUN: %cc -O1 -g -I%src_root/include %S/Inputs/churn.c -o %t.exe
# RUN: %python %s %t.exe %t
#
# SIGUSR1 to memrec starts recording and stops it, in all processes; SIGUSR2 writes
# what lives and the sums, so that a recorder that is killed leaves them.

import json
import signal
import subprocess
import sys
import time

churn, base = sys.argv[1:]


def start(name, *options):
    trace = "%s.%s.fb" % (base, name)
    process = subprocess.Popen(
        ["memrec", "-v", "-o", trace, *options, churn, "300", "1000", "10000"],
        stderr=subprocess.PIPE, text=True)
    return process, trace


def wait_for(process, what):
    for line in process.stderr:
        if what in line:
            return line
    raise AssertionError("memrec ended and never said: " + what)


def summary(trace):
    return json.loads(subprocess.run(["memdump", "--summary", "--format=json", trace],
                                     check=True, capture_output=True).stdout)


process, trace = start("toggle", "--start=off")
time.sleep(0.5)
process.send_signal(signal.SIGUSR1)
wait_for(process, "recording starts")
time.sleep(0.5)
process.send_signal(signal.SIGUSR1)
wait_for(process, "recording stops")
process.stderr.read()
assert process.wait() == 0, process.returncode
subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
events = summary(trace)["events"]
assert 0 < events["allocations"] < 250_000, events
assert events["lost"] == 0, events
text = subprocess.run(["memdump", trace], check=True, capture_output=True, text=True).stdout
assert text.count("record-on") == 1 and text.count("record-off") == 1

# The recorder dies after it has written the sums of a run without events.
process, trace = start("snapshot", "--events=none")
time.sleep(0.5)
process.send_signal(signal.SIGUSR2)
wait_for(process, "snapshot and summary written")
process.kill()
process.wait()
events = summary(trace)["events"]
assert events["allocations"] > 1000, events

# One of a run with events: a snapshot stands there.
process, trace = start("snapshot")
time.sleep(0.5)
process.send_signal(signal.SIGUSR2)
wait_for(process, "snapshot and summary written")
process.terminate()
process.stderr.read()
assert process.wait() == 128 + signal.SIGTERM, process.returncode
checked = subprocess.run(["memdump", "--check", trace], check=True, capture_output=True, text=True).stdout
assert " 1 snapshot" in checked, checked
