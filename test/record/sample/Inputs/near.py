"""near.py SUMMARY.json HEAP (WHAT TRUE)...

Checks that estimates lie within four standard errors of what is true, and that the
error is no excuse. WHAT is allocated, live, peak, frees or allocations.
"""

import json
import sys

MOST = {"allocated": 0.05, "live": 0.15, "peak": 0.3}  # of what is true

summary = json.load(open(sys.argv[1]))
heap = next(h for h in summary["heaps"] if h["name"] == sys.argv[2])
assert summary["events"]["lost"] == 0, summary["losses"]
bad = 0
for what, true in zip(sys.argv[3::2], map(int, sys.argv[4::2])):
    if what in MOST:
        value, error = heap[what + "_bytes"], heap[what + "_stderr_bytes"]
        good = error <= max(MOST[what] * true, 1) and abs(value - true) <= 4 * error
    else:
        value, error = heap[what], None
        # Sizes are mixed: the error of a count is at most that of the smallest.
        good = abs(value - true) <= 0.15 * true
    print(what, value, "true", true, "error", error, "" if good else "BAD")
    bad += not good
sys.exit(bad)
