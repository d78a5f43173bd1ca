# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a recorded model with what the model says of itself: compare.py OUT STATS EVENTS LINES.

STATS is `memstat --format=json`, EVENTS `memdump --format=csv`, LINES `memflame --group-by=line`.
"""

import csv
import json
import sys

said, stats = (json.load(open(path)) for path in sys.argv[1:3])
failed = []


def check(what, is_, should):
    if is_ != should:
        failed.append("%s: %r, should be %r" % (what, is_, should))


csv.field_size_limit(1 << 24)
blocks = [row for row in csv.DictReader(open(sys.argv[3])) if row["kind"] == "alloc"]
largest = max(int(row["size"]) for row in blocks)
check("the largest block", largest, said["largest"])
mine = [row for row in blocks if row["scope_path"] == "calls/" + said["program"]]
check("the bytes of the blocks in the calls", sum(int(row["size"]) for row in mine), said["allocated"])
check("the largest block of the calls", max(int(row["size"]) for row in mine), largest)
check("programs in the calls", {row["scope_path"] for row in blocks if row["scope_path"].startswith("calls")}, {"calls/" + said["program"]})
check("the bytes measured in the calls", said["measured"], said["allocated"])
check("the live bytes", said["live_measured"], said["live"])
line = max(csv.DictReader(open(sys.argv[4])), key=lambda row: int(row["allocated_bytes"]))
python = [frame for frame in line["stack"].split(";") if ".py:" in frame]
check("the line", python[-1], said["line"])
plans = [p["plans"] for p in stats["program_list"] if p["name"] == said["program"]]
check("programs of the name", len(plans), 1)
for name, value in said["plan"].items():
    check("the plan's " + name, [plan[name] for plan in plans[0]], [value])
check("the live arrays", stats["live_arrays"][-1]["bytes"], said["live"])
sys.exit("\n".join(failed) or 0)
