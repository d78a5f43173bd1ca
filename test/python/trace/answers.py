# The answers of memkit.open() are those of the tools, without any other package.
#
# RUN: memas --summarize %training -o %t.fb
# RUN: memstat --format=json %t.fb > %t.stat.json
# RUN: memdump --columns=time,kind,block,size,heap %t.fb > %t.events.csv
# RUN: memleak --format=json %t.fb > %t.leak.json
# RUN: %python %s %t.fb %t
import csv
import json
import sys
import warnings

import memkit

warnings.simplefilter("error")
path, base = sys.argv[1:]
t = memkit.open(path)
stat = json.load(open(base + ".stat.json"))

# Heaps and spaces.
for heap, of in zip(t.heaps, stat["heaps"]):
    assert heap.heap == of["name"] and heap.peak_bytes == of["peak_bytes"], (heap, of)
    assert heap.allocations == of["allocations"] and heap.live_bytes == of["live_bytes"]
assert len(t.heaps) == len(stat["heaps"]) == 4
assert [space.space for space in t.spaces] == ["host", "cuda:0"]

# The run.
[run] = t.run
assert run.command == "python train.py" and run.lost == 0 and run.rank is None, run
assert t.run["steps"] == [8]

# Events: each row of memdump.
rows = list(csv.DictReader(open(base + ".events.csv")))
events = t.events()
assert len(events) == len(rows) == 55
for event, row in zip(events, rows):
    assert (event.time_ns, event.kind, event.block, event.size, event.heap) == (
        int(row["time_ns"]), row["kind"], int(row["block"]), int(row["size"]), row["heap"]), (event, row)
assert t.events(columns=["layer", "kind"])[6] == ("encoder.0", "alloc")
assert t.events(columns=["layer"])["layer"][0] is None
# A part of them: the summary of blocks is not what counts, but their events.
assert len(t.events(heap="torch.cuda:0", until="step:3")) == 9
assert {e.heap for e in t.events(heap=["torch.cuda:0", "host.*"])} == {"torch.cuda:0", "host.malloc"}
assert {e.block for e in t.events(since="step:7", min_size="3M")} == {28, 31, 32}

# Stacks, of the run, of a time point, by line.
assert sum(row.allocations for row in t.stacks()) == sum(h.allocations for h in t.heaps)
at = {row.name: row.live_bytes for row in t.stacks(at="3.45s", group_by="line", heap="torch.cuda:0")}
assert at == {"train.py:50 build": 1048576, "model.py:7 forward": 2097152}, at
stack = t.stacks(heap="torch.cuda:0")[0].stack
assert [f.function for f in t.frames(stack)][-1] == "main"
assert set(t.frames()["stack"]) == {1, 2, 3, 4, 5}

# Steps, leaks, series, differences.
assert t.steps()[0].step == 1 and t.steps()[0].process == 100
assert {row.space for row in t.steps()} == {"host", "cuda:0"}
findings = json.load(open(base + ".leak.json"))["findings"]
leaks = t.leaks()
assert [row.kind for row in leaks] == ["growth"] + 4 * ["exit"], leaks
for kind in ("growth", "exit"):
    assert sum(row.bytes for row in leaks if row.kind == kind) == sum(f["bytes"] for f in findings if f["kind"] == kind)
assert len({row.line for row in leaks if row.kind == "exit"}) == 4
# The first row is the largest of the trace; the rows are parts of the peaks.
lines = t.stacks(group_by="line")
assert lines[0].at_peak_bytes == max(row.at_peak_bytes for row in lines)
peaks = {space.space: space.peak_bytes for space in t.spaces}
spaces = {heap.heap: heap.space for heap in t.heaps if heap.in_totals}
for space, peak in peaks.items():
    assert sum(row.at_peak_bytes for row in lines if spaces.get(row.heap) == space) == peak, (space, peak)
assert leaks[0].line == "train.py:40 log" and leaks[0].bytes_per_step == 524288
series = [row for row in t.series(points=9) if row.of == "torch.cuda:0"]
assert len(series) == 9 and max(row.bytes for row in series) == t.heaps["peak_bytes"][3]
assert all(row.at_peak_bytes_change == 0 for row in memkit.diff(t, path))

# As a table in a terminal and a notebook.
assert repr(t.spaces).splitlines()[1].startswith("host"), repr(t.spaces)
assert "<td>host.malloc</td>" in t.heaps._repr_html_()
assert repr(events).endswith("...") and len(repr(events).splitlines()) == 12
assert t.heaps.columns[0] == "heap" and t.heaps.to_dicts()[1]["heap"] == "cuda:0.device"
assert not t.ooms and t.heaps and t.heaps[-1].heap == "torch.cuda:0" and len(t.heaps[1:3]) == 2

# What was asked outlives the trace.
heaps, more = t.heaps, t.events()
t.close()
del t
assert len(heaps) == 4 and len(more) == 55
