# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%src_root/python %python %s
#
# What memkit explain says to try works: of memory that is freed at the end the names are found before.

import re
import shlex
import subprocess
import sys

import memkit


class Cache:
    def __init__(self):
        self.entries = {}


def fill():
    cache = Cache()
    for number in range(400):
        memkit.step()
        cache.entries[number] = bytearray(50_000)


if sys.argv[1:] == ["fill"]:
    fill()
    sys.exit()


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


subprocess.run(["memrec", "-q", "-o", "first.fb", "--", sys.executable, __file__, "fill"], check=True)
page = said("memstat", "-q", "--explain", "first.fb")
assert page.splitlines()[0].startswith("### explain-holders.py: peak ") and "LEAK" in page.splitlines()[0], page
(option,) = re.findall(r"^- memrec (--holders=.*) names what holds the blocks$", page, re.M)
assert option != "--holders=end", page
subprocess.run(
    ["memrec", "-q", "-o", "second.fb", *shlex.split(option), "--", sys.executable, __file__, "fill"],
    stderr=subprocess.DEVNULL, check=True)
page = said("memstat", "-q", "--explain", "second.fb")
assert "fill():cache.entries" in page.replace("\\", ""), page
assert "names what holds the blocks" not in page, page
(again,) = re.findall(r"^memrec .*", page, re.M)
assert again.startswith("memrec " + option + " -- "), again
