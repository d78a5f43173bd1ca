# cost.py JSON CPU share|bound: the processor time that the samples took, by memrec's own
# account, against the run. The program is busy: on a machine with nothing else to do the run is as long
# as its processor time.
import json
import sys

cost = json.load(open(sys.argv[1]))["resident_samples"]
cpu_ns = int(open(sys.argv[2]).read())
print(cost, cpu_ns)
assert cost["samples"] >= 2 and cost["run_ns"] > cpu_ns * 0.9, cost
share = 30e6 + cost["run_ns"] / 200
# The last one may begin just below the bound.
each = cost["processor_ns"] / cost["samples"]
if sys.argv[3] == "share":
    assert 0 < cost["processor_ns"] < share + 2 * each, cost
else:
    assert 0 < cost["processor_ns"] < 2 * share + 4 * each, cost
