# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %python %s
#
# A program that loads for half a second and ends: a list that becomes larger meanwhile, a small part of the peak, is no
# growth on memstat's first line. What fills most of memory is.

import re
import subprocess
import sys
import time


def load():
    rows = []
    large = bytearray(30_000_000)
    for number in range(60):
        rows.extend(bytes(100) for _ in range(100))
        time.sleep(0.01)
    return rows, large


def fill():
    rows = []
    for number in range(60):
        rows.append(bytearray(500_000))
        time.sleep(0.01)
    return rows


if sys.argv[1:]:
    {"load": load, "fill": fill}[sys.argv[1]]()
    sys.exit()
# A busy machine may take longer.
for what in ("load", "fill"):
    for _ in range(10):
        subprocess.run(["memrec", "-q", "-o", what + ".fb", "--force", "--", sys.executable, __file__, what], check=True)
        page = subprocess.run(["memstat", "-q", what + ".fb"], stdout=subprocess.PIPE, check=True, text=True).stdout
        if float(re.search(r"\n  run +([\d.]+) m?s, ", page)[1]) < 2.9 or re.search(r"\n  run +[\d.]+ ms, ", page):
            break
    else:
        sys.exit("the program takes more than 3 seconds, ten times")
    first = page.splitlines()[0]
    assert ("grows" in first) == (what == "fill"), page
    assert what == "load" or "short.py" in first.split("grows")[1], page
