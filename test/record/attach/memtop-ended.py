# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %cc -O1 %S/Inputs/sleeper.c -o sleeper && %python %s
#
# Lines of JSON of a program that memtop attaches to: whatever ends memtop, memrec is gone, and its trace.
import os
import signal
import subprocess

os.mkdir("tmp")
program = subprocess.Popen(["./sleeper"], stdout=subprocess.PIPE)
assert program.stdout.readline() == b"ready\n"
for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    top = subprocess.Popen(["memtop", "--format=json", "-p", str(program.pid)], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=os.path.abspath("tmp")))
    assert top.stdout.readline().startswith(b"{"), how
    assert os.listdir("tmp"), how
    top.send_signal(how)
    top.stdout.read()
    assert top.wait(60) == 0, how
    assert not os.listdir("tmp"), how
program.kill()
program.wait()
