# RUN: %cc -O1 -g -I%src_root/include %S/../bounds/Inputs/churn.c -o %t.exe
# RUN: %python %s %t.exe %t
#
# Readers of `memrec -o -` that go away, or stand still: the program ends with its
# own status all the same. A pipe that nobody reads stands for any output that
# stalls.

import os
import subprocess
import sys
import time

churn, base = sys.argv[1:]
program = ["sh", "-c", churn + " 10 100000 && : > " + base + ".done; exit 4"]


def run(reader):
    if os.path.exists(base + ".done"):
        os.remove(base + ".done")
    recorder = subprocess.Popen(["memrec", "--on-full=wait:300ms", "-q", "-o", "-", *program],
                                stdout=subprocess.PIPE)
    end = subprocess.Popen(reader, stdin=recorder.stdout, stdout=subprocess.DEVNULL)
    recorder.stdout.close()
    begin = time.monotonic()
    while not os.path.exists(base + ".done"):
        assert time.monotonic() - begin < 60, "the program does not end"
        time.sleep(0.01)
    return recorder, end


# One byte, and then no more.
recorder, end = run(["head", "-c", "1"])
assert end.wait() == 0
assert recorder.wait() == 4, recorder.returncode

# Nothing is read until the program has ended.
recorder, end = run(["sh", "-c", "while test ! -e " + base + ".done; do sleep 0.05; done; cat > " + base + ".fb"])
assert recorder.wait() == 4, recorder.returncode
assert end.wait() == 0
subprocess.run(["memdump", "--check", base + ".fb"], check=True, stdout=subprocess.DEVNULL)

# Nobody ever reads.
recorder, end = run(["sleep", "1000"])
recorder.terminate()
time.sleep(0.1)
end.kill()
assert recorder.wait() in (0, 4), recorder.returncode
