# RUN: %cc -O1 -g -I%src_root/include %S/../bounds/Inputs/churn.c -o %t.exe
# RUN: %cc -O1 -shared -fPIC %S/Inputs/stall.c -o %t.so -ldl
# RUN: %python %s %t.exe %t
#
# A file that takes nothing for a while, as on a server that is away: the program
# waits once, as long as it was told to, and ends with its own status meanwhile; when
# the file goes on, the trace is whole, and says what was lost. (A preloaded write()
# stands for the server.)

import json
import os
import subprocess
import sys
import time

churn, base = sys.argv[1:]
trace, away, done = base + ".fb", base + ".away", base + ".done"
for old in (trace, away, done):
    if os.path.exists(old):
        os.remove(old)
recorder = subprocess.Popen(
    ["memrec", "--on-full=wait:300ms", "-q", "-o", trace, "sh", "-c",
     '"$1" 2 1000; : > "$2"; "$1" 10 200000; : > "$3"; exit 4', "sh", churn, away, done],
    # By its name: LD_PRELOAD ends a path at a blank.
    env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(base), "LD_PRELOAD": os.path.basename(base) + ".so",
         "STALL_WHILE": away})
begin = time.monotonic()
while not os.path.exists(done):
    assert time.monotonic() - begin < 60, "the program does not end"
    assert recorder.poll() is None, "memrec wrote though it could not"
    time.sleep(0.01)
time.sleep(0.2)
assert recorder.poll() is None, "memrec ended though its file took nothing"
os.remove(away)
assert recorder.wait() == 4, recorder.returncode
subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
events = json.loads(subprocess.run(["memdump", "--summary", "--format=json", trace],
                                   check=True, stdout=subprocess.PIPE).stdout)["events"]
# Two million blocks come and go.
assert events["lost"] > 0, events
assert events["allocations"] + events["lost"] >= 1_900_000, events
