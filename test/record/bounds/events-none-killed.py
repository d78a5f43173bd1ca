# A recording without events whose memrec is killed knows its peak and what is live, from what
# memrec writes once in a while.
#
# RUN: %cc -O1 %S/Inputs/rise.c -o %t.exe
# RUN: %python %s %t.exe %t.fb
# RUN: memdump --summary --format=json %t.fb 2>%t.err > %t.json && FileCheck %s --check-prefix=WARN --input-file=%t.err
# RUN: %python %S/Inputs/check_rise.py %t.json
# RUN: memflame --format=collapsed %t.fb 2>/dev/null | FileCheck %s
# WARN: without events the stats are those at the ends of intervals, up to
# The names of functions that a program calls later come later, and may be missing.
# CHECK: ;malloc 20971520
import os
import signal
import subprocess
import sys
import time

program, trace = sys.argv[1:]
recorder = subprocess.Popen(["memrec", "-q", "--events=none", "-o", trace, program], stdout=subprocess.PIPE, text=True)
pid = int(recorder.stdout.readline())
time.sleep(2.5)
recorder.kill()
recorder.wait()
os.kill(pid, signal.SIGKILL)
