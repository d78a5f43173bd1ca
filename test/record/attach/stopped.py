# A program that is stopped when memrec leaves keeps memkit's hooks, and memrec says so; the next
# memrec takes them out.
#
# RUN: %python %s %t.fb | FileCheck %s
# CHECK: memrec: warning: process [[#]] ({{.*}}) is stopped: let it go on first, kill -CONT [[#]]; what stays of memkit in it records nothing, and goes when memrec -p attaches and detaches again
# CHECK: memrec: {{.*}}.fb: {{.*}} 0 lost, {{.*}} the program still runs
# CHECK: status 0
# CHECK: memrec: detached:
# CHECK: status 0
# CHECK: the program: 7
import os
import signal
import subprocess
import sys

WORK = "import sys\nwhile not sys.stdin.read(1): pass\nsys.exit(7)"
program = subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE)


def attach(*options):
    return subprocess.Popen(
        ["memrec", "--force", "-p", str(program.pid), "-o", sys.argv[1], *options],
        stderr=subprocess.PIPE, text=True)


first = attach("--no-census")
while "attached to process" not in first.stderr.readline():
    assert first.poll() is None
os.kill(program.pid, signal.SIGSTOP)
os.waitid(os.P_PID, program.pid, os.WSTOPPED)
first.send_signal(signal.SIGTERM)
print(first.communicate(timeout=60)[1], "status", first.returncode)
os.kill(program.pid, signal.SIGCONT)
second = attach("--no-census", "--for=200ms")
print(second.communicate(timeout=60)[1], "status", second.returncode)
program.communicate(b"x", timeout=60)
print("the program:", program.returncode)
