# RUN: %python %s %t
#
# Signals to the whole group, as batch systems and supervisors send them, reach the program once; those to memrec alone are
# passed on to it, also where memrec is process 1. memrec ends after the program, with the program's status, and the trace has
# the program's end. A second SIGTERM to memrec ends the recording of a program that goes on.

import json
import os
import signal
import subprocess
import sys
import time

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
HANDLER = "trap 'sleep 0.3; exit 7' TERM; touch READY; while :; do sleep 0.02; done"


def run(name, command, to_group):
    trace, ready = f"{folder}/{name}.fb", f"{folder}/{name}.ready"
    if os.path.exists(ready):
        os.remove(ready)
    recorder = subprocess.Popen(["memrec", "--force", "-o", trace, "sh", "-c", command.replace("READY", ready)],
                                start_new_session=True, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(ready):
        time.sleep(0.02)
    time.sleep(0.2)
    began = time.monotonic()
    (os.killpg if to_group else os.kill)(recorder.pid, signal.SIGTERM)
    status = recorder.wait(60)
    seconds = time.monotonic() - began
    summary = json.loads(subprocess.run(["memdump", "--summary", "--format=json", trace], check=True,
                                        capture_output=True, text=True).stdout)
    try:
        os.killpg(recorder.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return status, seconds, summary["processes"][0], recorder.stderr.read()


status, _, process, said = run("handler", HANDLER, True)
assert status == 7 and process["exit_status"] == 7, (status, process, said)
assert "still runs" not in said, said

status, _, process, said = run("default", "touch READY; exec sleep 60", True)
assert status == 128 + signal.SIGTERM, (status, said)
assert "killed by signal 15" in said, said

COUNT = ("n=0; trap 'n=$((n+1)); echo $n > COUNT' SIGNALS; touch READY; "
         "while [ ! -e DONE ]; do sleep 0.02; done; exit 5")


def heed():
    """A shell's background jobs ignore the first two, and what nohup starts the last."""
    for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)


def counted(name, signals, send):
    """How often each of the signals came to the program, and memrec's status."""
    ready, count, done = (f"{folder}/{name}.{what}" for what in ("ready", "count", "done"))
    for path in (ready, count, done):
        if os.path.exists(path):
            os.remove(path)
    command = COUNT.replace("READY", ready).replace("COUNT", count).replace("DONE", done).replace("SIGNALS", signals)
    recorder = subprocess.Popen(["memrec", "--force", "-q", "-o", f"{folder}/{name}.fb", "sh", "-c", command],
                                start_new_session=True, preexec_fn=heed)
    while not os.path.exists(ready):
        time.sleep(0.02)
    time.sleep(0.2)
    send(recorder.pid)
    for _ in range(1500):  # a busy machine takes its time
        if os.path.exists(count):
            break
        time.sleep(0.02)
    time.sleep(1)  # for one too many
    with open(done, "w"):
        pass
    status = recorder.wait(60)
    got = int(open(count).read()) if os.path.exists(count) else 0
    return got, status




took = []


def as_timeout(pid):
    """`timeout` sends to its command, then to the group: on a busy machine memrec sees two."""
    os.kill(pid, signal.SIGTERM)
    began = time.monotonic()
    time.sleep(0.03)
    os.killpg(pid, signal.SIGTERM)
    took.append(time.monotonic() - began)


# The program decides when it ends, and memrec records until then. A busy machine may send the second signal much later.
for _ in range(10):
    status = counted("timeout", "TERM", as_timeout)[1]
    if took[-1] < 0.3:
        break
assert status == 5, took

for name in ("TERM", "INT", "HUP", "QUIT"):
    number = getattr(signal, "SIG" + name)
    assert counted("alone." + name, name, lambda pid: os.kill(pid, number)) == (1, 5), name
    assert counted("group." + name, name, lambda pid: os.killpg(pid, number)) == (1, 5), name


def both(pid):
    """Twice to the group, with time between."""
    os.killpg(pid, signal.SIGINT)
    time.sleep(0.3)
    os.killpg(pid, signal.SIGINT)


def counts_two(*given):
    """A shell that has not run yet when the second signal comes sees one of both."""
    for _ in range(6):
        got = counted(*given)
        assert got in ((1, 5), (2, 5)), got
        if got == (2, 5):
            return True
    return False


assert counts_two("twice", "INT", both)
assert counts_two("alone.twice", "HUP", lambda pid: [os.kill(pid, signal.SIGHUP), time.sleep(0.3), os.kill(pid, signal.SIGHUP)])

# A second SIGTERM.
ready = folder + "/second.ready"
if os.path.exists(ready):
    os.remove(ready)
recorder = subprocess.Popen(["memrec", "--force", "-o", folder + "/second.fb", "sh", "-c",
                             f"trap '' TERM; touch {ready}; exec sleep 60"], start_new_session=True,
                            stderr=subprocess.PIPE, text=True)
while not os.path.exists(ready):
    time.sleep(0.02)
time.sleep(0.2)
recorder.send_signal(signal.SIGTERM)
time.sleep(2.5)
assert recorder.poll() is None, "one SIGTERM that the program ignores ends nothing"
began = time.monotonic()
recorder.send_signal(signal.SIGTERM)
assert recorder.wait(60) == 0 and time.monotonic() - began < 10
os.killpg(recorder.pid, signal.SIGKILL)
assert "the program still runs" in recorder.stderr.read()
subprocess.run(["memdump", "--check", folder + "/second.fb"], check=True)

# Nothing is left behind.
left = subprocess.run(["pgrep", "-x", "memkit-signals", "-s", str(recorder.pid)], capture_output=True, text=True).stdout
assert not left, left
