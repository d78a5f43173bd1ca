# REQUIRES: long
# RUN: %cc -O2 -g -I%src_root/include %S/Inputs/storm.c -o %t.exe
# RUN: %python %s %t.exe %t 1800
#
# Half an hour of a program that does nothing but allocate and free, at full speed:
# memrec's memory at the end is what it was after a sixth of the time, to 5 %, and the
# file is within its bound. The output stands in docs/Reliability.md.

import os
import subprocess
import sys
import time

storm, base, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
trace, bound = base + ".fb", 1 << 30
recorder = subprocess.Popen(["memrec", "--max-size=1G", "-o", trace, storm, str(seconds)],
                            stderr=subprocess.PIPE, text=True)


def look():
    """Resident bytes and processor seconds of memrec."""
    with open("/proc/%d/statm" % recorder.pid) as f:
        resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with open("/proc/%d/stat" % recorder.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return resident, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


begin = time.monotonic()
points = []
for sixth in range(1, 7):
    at = seconds * sixth / 6 - 2
    time.sleep(max(0, at - (time.monotonic() - begin)))
    resident, cpu = look()
    points.append(resident)
    print("after %5.0f s: memrec holds %.1f MiB, has taken %.0f s of a processor; the file has %.1f MiB"
          % (time.monotonic() - begin, resident / 2**20, cpu, os.path.getsize(trace) / 2**20),
          flush=True)
print(recorder.stderr.read().strip())
assert recorder.wait() == 0, recorder.returncode
size = os.path.getsize(trace)
assert size < bound, size
assert abs(points[-1] - points[0]) <= 0.05 * points[0], points
