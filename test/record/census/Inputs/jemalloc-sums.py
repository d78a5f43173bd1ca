"""Compares the heap of a trace with what the program and its jemalloc say: jemalloc-sums.py TRACE HEAP SAID"""

import json
import re
import subprocess
import sys

trace, name, said = sys.argv[1:]
summary = json.loads(subprocess.run(["memdump", "--summary", "--format=json", trace], stdout=subprocess.PIPE,
                                    check=True).stdout)
live = {heap["name"]: heap["live_bytes"] for heap in summary["heaps"]}[name]
with open(said) as file:
    usable, allocated = map(int, re.search(r"usable (\d+), allocated (\d+)", file.read()).groups())
# Beside the program's own: the emergency memory of libstdc++ (80 KiB), buffers of files.
if not usable <= live < usable + 120000:
    sys.exit("usable %d, in the trace %d" % (usable, live))
# jemalloc counts the lists of five threads, and what they keep, too.
if not live <= allocated < live + live // 50:
    sys.exit("allocated %d, in the trace %d" % (allocated, live))
