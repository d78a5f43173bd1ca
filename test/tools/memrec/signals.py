# RUN: %cc -O1 %S/Inputs/ticker.c -o %t.ticker
# RUN: %python %s %t.ticker %t
#
# Signals: Ctrl-C reaches the program and the trace is completed; SIGTERM to memrec alone is passed on to the program.

import os
import signal
import subprocess
import sys
import time

ticker, base = sys.argv[1:]


def start(name, *options, **kwargs):
    trace = "%s.%s.fb" % (base, name)
    flag = "%s.%s.flag" % (base, name)
    if os.path.exists(flag):
        os.remove(flag)
    # Not a pipe: the program that runs on would keep it open.
    errors = open("%s.%s.err" % (base, name), "w+")
    process = subprocess.Popen(["memrec", "-o", trace, *options, ticker, flag],
                               stdout=errors, stderr=errors,
                               # The test runner may ignore it.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                               **kwargs)
    while not os.path.exists(flag):
        time.sleep(0.01)
    process.errors = errors
    return process, trace, flag


def check(trace):
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    return subprocess.run(["memdump", "--summary", trace], check=True,
                          capture_output=True, text=True).stdout


# Ctrl-C: to all of the foreground group.
process, trace, _ = start("int", start_new_session=True)
os.killpg(process.pid, signal.SIGINT)
assert process.wait() == 130, process.returncode
assert "exit 130" in check(trace) or "signal 2" in check(trace), check(trace)

# SIGTERM: the program ends by it.
process, trace, flag = start("term")
process.terminate()
assert process.wait() == 143, process.returncode
assert "signal 15" in check(trace), check(trace)

# Two at once are one, as `timeout` sends them: the program ends by it. What a second one does, when the program goes on,
# record/strange/group-terminated.py shows.
process, trace, flag = start("twice")
os.kill(process.pid, signal.SIGTERM)
time.sleep(0.01)
os.kill(process.pid, signal.SIGTERM)
assert process.wait() == 143, process.returncode
assert "signal 15" in check(trace), check(trace)

# The recorder killed: the program does not notice, the trace is cut.
process, trace, flag = start("kill")
process.kill()
process.wait()
pid = int(open(flag).read())
time.sleep(0.2)
os.kill(pid, 0)
os.kill(pid, signal.SIGKILL)
dump = subprocess.run(["memdump", "--summary", trace], capture_output=True, text=True)
assert dump.returncode == 0, dump.stderr
