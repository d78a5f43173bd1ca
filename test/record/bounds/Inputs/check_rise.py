"""The sums of rise.c: 20 MiB at the peak, 5 MiB at the end, and a little of the C library."""
import json
import sys

MIB = 1 << 20
summary = json.load(open(sys.argv[1]))
heap = next(h for h in summary["heaps"] if h["name"] == "host.malloc")
process = summary["processes"][0]
assert 20 * MIB <= heap["peak_bytes"] < 21 * MIB, heap
assert 5 * MIB <= heap["live_bytes"] < 6 * MIB, heap
assert 20 * MIB <= process["peak_bytes"] < 21 * MIB, process
