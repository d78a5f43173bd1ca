# check-objects.py TRACE: what objects.py has made is what the trace says.
import json
import subprocess
import sys

trace = sys.argv[1]
summary = json.loads(subprocess.check_output(["memdump", "--summary", "--format=json", trace]))
heaps = {h["name"]: h for h in summary["heaps"]}


def live(function, *more):
    report = json.loads(subprocess.check_output(
        ["memleak", "--format=json", "--heap=python.object", "--no-default-suppressions",
         "--stack=" + function, *more, trace]))
    # Of the list that holds them a finding of its own.
    found = {}
    for f in report["findings"]:
        inner = [s["function"] for s in f["stack"][:8]]
        found[" ".join(inner)] = (f["blocks"], f["bytes"])
    return sorted(found.values())


def expect(what, is_so):
    if not is_so:
        sys.exit("%s: %s" % (what, {f: live(f) for f in (
            "make_objects", "make_tuples", "make_large", "grow", "churn")}))


objects, tuples, large = live("make_objects"), live("make_tuples"), live("make_large")
expect("objects", (12345, 12345 * 16) in objects)
# Some of the tuples may come from the interpreter's free lists.
expect("tuples", any(2345 - 2000 <= b <= 2345 and s % b == 0 and s // b in (48, 64, 72)
                     for b, s in tuples))
expect("large", any(b == 17 and s >= sum(100000 + i for i in range(17)) for b, s in large))
expect("grown", any(b >= 1 and 100000 <= s < 200000 for b, s in live("grow")))
# Before 3.11 a function keeps a frame for the next call.
expect("churn", sum(s for _, s in live("churn")) < 1000)
# Nothing counts twice: what is large lies in malloc's blocks, the rest in arenas.
outer = sum(heaps[h]["live_bytes"] for h in ("host.malloc", "host.mmap"))
if summary["totals"]["live_bytes"] != outer:
    sys.exit("total %d, malloc and mmap %d" % (summary["totals"]["live_bytes"], outer))
if heaps["python.object"]["live_bytes"] >= outer or summary["events"]["lost"]:
    sys.exit("objects %d of %d, lost %d" % (
        heaps["python.object"]["live_bytes"], outer, summary["events"]["lost"]))
if heaps["python.object"]["parent"] != "host.mmap":
    sys.exit("parent: %s" % heaps["python.object"]["parent"])
print("as it should be")
