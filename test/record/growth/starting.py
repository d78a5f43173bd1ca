# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %python %s
#
# A program that is killed while it imports modules: the first line of memstat does not call that a growth, unless the
# program has run for more than 3 seconds. memleak tells of it, and does not call it a leak.

import os
import re
import subprocess
import sys


def start():
    os.mkdir("parts")
    sys.path.insert(0, "parts")
    for number in range(40):
        with open("parts/part%d.py" % number, "w") as part:
            part.write("import time\nrows = [(i, str(i), [i]) for i in range(2500)]\ntime.sleep(0.02)\n")
    for number in range(40):
        __import__("part%d" % number)
    os.kill(os.getpid(), 9)


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


if sys.argv[1:] == ["start"]:
    start()
# A busy machine may take longer.
for _ in range(10):
    subprocess.run(["rm", "-rf", "parts"], check=True)
    recorded = subprocess.run(["memrec", "-q", "-o", "s.fb", "--force", "--", sys.executable, __file__, "start"])
    assert recorded.returncode == 137, recorded
    page = said("memstat", "s.fb")
    if float(re.search(r"\n  run +([\d.]+) (m?)s, ", page)[1]) < 2.9 or re.search(r"\n  run +[\d.]+ ms, ", page):
        break
else:
    sys.exit("the program takes more than 3 seconds, ten times")
first = page.splitlines()[0]
assert first.endswith("killed by signal 9 (Killed)"), first
leaks = said("memleak", "s.fb")
assert re.match(r"grows +(starting\.py:\d+ start|Python arenas) ", leaks), leaks
