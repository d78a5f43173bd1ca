"""Reads a trace as text; fails when processes 2 and 3 have the same number of samples
and the same distances between the first ones."""

import re
import sys

process, frees = 0, {2: [], 3: []}
for line in sys.stdin:
    if found := re.match(r"events process=(\d+)", line):
        process = int(found[1])
    elif found := re.match(r"\s+(\d+) th\d+ (alloc|free)", line):
        if process in frees:
            frees[process].append(found[2])
assert frees[2] and frees[3], "no samples of the children"
assert frees[2] != frees[3], "the children were sampled alike"
