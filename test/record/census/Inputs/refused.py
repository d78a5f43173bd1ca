"""Takes a census of what has none."""

import os
import signal
import subprocess
import sys
import time


def census(name, *options, trace="t.fb"):
    result = subprocess.run(["memrec", "-o", trace, *options], stderr=subprocess.PIPE, text=True, timeout=60)
    said = result.stderr.strip().splitlines()[0].replace("memrec: error: ", "")
    print("%s: %d%s" % (name, result.returncode, " " + said if result.returncode else ""), flush=True)


census("nobody", "--census", "4194305")
census("no name", "--census", "no-such-program")
census("nothing", "--census")
census("itself and others", "--census", "1", "-p", "1")
census("a program", "--census", "1", "ls")
census("a wrong value", "--census=soon", "1")
child = os.fork()
if child == 0:
    os._exit(0)
time.sleep(0.2)
census("zombie", "--census", str(child))
os.waitpid(child, 0)
subprocess.run(["cc", "-nostdlib", "-static", "-o", "bare", sys.argv[1]], check=True)
bare = subprocess.Popen(["./bare"])
time.sleep(0.2)
census("no blocks", "--census", str(bare.pid))
bare.kill()
bare.wait()
sleep = subprocess.Popen(["sleep", "300"])
time.sleep(0.2)
sleep.send_signal(signal.SIGSTOP)
while " T " not in open("/proc/%d/stat" % sleep.pid).read():
    time.sleep(0.01)
census("stopped", "--census", str(sleep.pid), trace="stopped.fb")
assert " T " in open("/proc/%d/stat" % sleep.pid).read()
sleep.kill()
sleep.wait()
print("files:", *(name for name in sorted(os.listdir(".")) if "bare" not in name))
