# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%src_root/python %python %s
#
# What memkit explain says to try works: of memory that is freed at the end the names are found before.
# The program is short: the second time it keeps its memory until memrec, which may be late on a busy
# machine, has asked for the names.

import re
import shlex
import subprocess
import sys
import time

import memkit
from memkit import _holders


class Cache:
    def __init__(self):
        self.entries = {}


def fill(seconds):
    cache = Cache()
    for number in range(400):
        memkit.step()
        cache.entries[number] = bytearray(50_000)
    end = time.monotonic() + seconds
    while not asked and time.monotonic() < end:
        time.sleep(0.01)
        bytearray(1000)  # memkit's hooks hand on what memrec asks


asked = []
if sys.argv[1:2] == ["fill"]:
    search = _holders.asked
    _holders.asked = lambda: (search(), asked.append(True))
    fill(float(sys.argv[2]))
    sys.exit()


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


subprocess.run(["memrec", "-q", "-o", "first.fb", "--", sys.executable, __file__, "fill", "0"], check=True)
page = said("memstat", "-q", "--explain", "first.fb")
assert page.splitlines()[0].startswith("### explain-holders.py: peak ") and "LEAK" in page.splitlines()[0], page
(option,) = re.findall(r"^- memrec (--holders=.*) names what holds the blocks$", page, re.M)
assert option != "--holders=end", page
subprocess.run(
    ["memrec", "-q", "-o", "second.fb", *shlex.split(option), "--", sys.executable, __file__, "fill", "60"],
    stderr=subprocess.DEVNULL, check=True)
page = said("memstat", "-q", "--explain", "second.fb")
assert "fill():cache.entries" in page.replace("\\", ""), page
assert "names what holds the blocks" not in page, page
(again,) = re.findall(r"^memrec .*", page, re.M)
assert again.startswith("memrec " + option + " -- "), again
