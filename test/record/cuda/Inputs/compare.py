# compare.py OWN SUMMARY: what a program has counted, a heap a line with allocations, bytes and live
# bytes, against the summary of its trace.
import json
import sys

own = [line.split() for line in open(sys.argv[1])]
summary = json.load(open(sys.argv[2]))
heaps = {heap["name"]: heap for heap in summary["heaps"]}
wrong = ["%d events lost" % summary["events"]["lost"]] if summary["events"]["lost"] else []
for name, *counts in own:
    heap = heaps.get(name, {})
    traced = [str(heap.get(key)) for key in ("allocations", "allocated_bytes", "live_bytes")]
    if counts != traced:
        wrong.append("%s: the program has %s, the trace %s" % (name, counts, traced))
if not own:
    wrong.append("the program has counted nothing")
sys.exit("\n".join(wrong) or 0)
