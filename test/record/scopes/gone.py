# A recorder that is stopped, or killed, while a program waits for numbers: the
# program goes on within seconds, without them. A recorder that stands for a moment is waited for.
#
# RUN: %cc -O1 -I%src_root/include %S/Inputs/ask.c -o %t.exe
# RUN: %python %s %t.exe %t.fb STOP
# RUN: %python %s %t.exe %t.fb KILL
# RUN: %python %s %t.exe %t.fb LATE

import os
import signal
import subprocess
import sys
import time

program, trace, how = sys.argv[1:]
go_read, go_write = os.pipe()
recorder = subprocess.Popen(
    ["memrec", "-q", "--force", "-o", trace, "--", program, str(go_read)],
    stdout=subprocess.PIPE, text=True, pass_fds=[go_read])
assert recorder.stdout.readline() == "answered 1\n"
os.kill(recorder.pid, signal.SIGKILL if how == "KILL" else signal.SIGSTOP)
time.sleep(0.2)
os.write(go_write, b"x")
if how == "LATE":
    time.sleep(1.6)
    os.kill(recorder.pid, signal.SIGCONT)
    assert recorder.stdout.readline() == "answered 1\n"
    os.write(go_write, b"x")
    assert recorder.stdout.readline() == "answered 1\n"
    sys.exit(recorder.wait(60))
begun = time.monotonic()
line = recorder.stdout.readline()
waited = time.monotonic() - begun
assert line == "answered 0\n", line
print("waited %.2f s" % waited)
assert waited < 10, waited  # three seconds, on a machine that has time
if how == "STOP":
    # The next question is not waited for at all.
    os.write(go_write, b"x")
    assert recorder.stdout.readline() == "answered 0\n"
    os.kill(recorder.pid, signal.SIGCONT)
else:
    os.write(go_write, b"x")
    assert recorder.stdout.readline() == "answered 0\n"
assert recorder.stdout.readline() == "end\n"
recorder.wait(60)
