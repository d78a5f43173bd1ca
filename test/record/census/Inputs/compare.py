"""Compares the sum of a census with what the program's malloc says of itself."""

import json
import re
import sys

with open(sys.argv[1]) as file:
    summary = json.load(file)
with open(sys.argv[2]) as file:
    said = re.search(r"in use (\d+), mapped (\d+)", file.read())
heap = next(heap for heap in summary["heaps"] if heap["name"] == "host.malloc")
live, blocks = heap["live_bytes"], heap["live_blocks"]
# In use are also the headers, and the freed blocks that threads keep: at most 7 of each of 64 sizes.
in_use = int(said.group(1)) + int(said.group(2)) - 8 * blocks
assert in_use * 0.98 < live <= in_use, (live, blocks, in_use)
