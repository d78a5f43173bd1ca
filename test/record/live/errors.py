# RUN: rm -rf %t && mkdir %t && cd %t && env PYTHONPATH=%S/Inputs %python %s
#
# Names that are no recording, and how to record.

import os
import signal
import subprocess
import time

from live import run, socket_of

HOW = "memrec PROGRAM records a program from its start"


def refused(name, what):
    _, err = run("memstat", name, status=1)
    assert err == f"memstat: error: {name}: {what}\n", (name, err)


refused("live:abc", "should be live:PID or live:")
refused("live:-5", "should be live:PID or live:")
refused("live:0", "should be live:PID or live:")
refused("live:99999999999999999999", "should be live:PID or live:")
refused("live:2147483646", "no such process")
refused(f"live:{os.getpid()}", "the process is not being recorded; " + HOW)

# A socket that a killed recorder left, and one that is not memkit's.
memrec = subprocess.Popen(["memrec", "-q", "-o", "killed.fb", "sleep", "600"])
path = socket_of(memrec)
while not os.path.exists(path):
    time.sleep(0.02)
child = int(subprocess.run(["pgrep", "-P", str(memrec.pid)], stdout=subprocess.PIPE, text=True).stdout.split()[0])
# The number alone is no file, and a recording is meant; of another process nothing is.
for name in str(child), str(memrec.pid):
    refused(name, f"No such file or directory; did you mean 'live:{name}'?")
refused(str(os.getpid()), "No such file or directory")
_, err = run("memtop", "--once", str(child), status=1)
assert f"did you mean 'live:{child}'?" in err, err

# A recorder that is stopped.
memrec.send_signal(signal.SIGSTOP)
try:
    for name, said in ("live:", "live"), (f"live:{child}", f"live:{child}"):
        _, err = run("memstat", name, status=1)
        assert err == f"memstat: error: {said}: the recorder does not answer (is it stopped?)\n", err
finally:
    memrec.send_signal(signal.SIGCONT)

memrec.send_signal(signal.SIGKILL)
memrec.wait()
os.kill(child, signal.SIGKILL)
assert os.path.exists(path)
refused(f"live:{memrec.pid}", "no such process")
_, err = run("memstat", "live:", status=1)
assert err == "memstat: error: live: nothing is being recorded; " + HOW + "\n", err
# The next recorder cleans up.
run("memrec", "-q", "-o", "next.fb", "true")
assert not os.path.exists(path)
