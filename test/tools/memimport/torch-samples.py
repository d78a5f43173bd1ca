# Snapshots of PyTorch programs: the sums of the trace are those of the pickle, read by Python.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %S/Inputs

import gzip
import json
import pathlib
import pickle
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def replay(snapshot):
    """Live bytes as requested, at the end and at most, of the events and of what lived before."""
    final = {b["address"]: b["requested_size"] for s in snapshot["segments"] for b in s["blocks"]
             if b["state"] == "active_allocated"}
    events = [e for e in snapshot["device_traces"][0] if e["action"] in ("alloc", "free_requested", "free_completed")]
    free = "free_requested" if any(e["action"] == "free_requested" for e in events) else "free_completed"
    first = {}
    for event in events:
        if event["action"] in ("alloc", free):
            first.setdefault(event["addr"], event)
    live = {a: e["size"] for a, e in first.items() if e["action"] == free}
    live.update({a: size for a, size in final.items() if a not in first})
    peak = sum(live.values())
    count = len(live)
    for event in events:
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
            count += 1
        elif event["action"] == free:
            live.pop(event["addr"], None)
        peak = max(peak, sum(live.values()))
    assert live == final, "the events lead to the snapshot's blocks"
    return sum(live.values()), peak, count


def requested(trace):
    """The same of the trace."""
    live, total, peak, count = {}, 0, 0, 0
    text = run("memdump", "--format=asm", trace)
    heap = re.search(r"heap (\d+) name=%s " % re.search(r'string (\d+) "torch.cuda:0"', text)[1], text)[1]
    for kind, block, rest in re.findall(r"^  \d+ th1 (alloc|free) #(\d+)(.*)", text, re.M):
        if kind == "alloc" and "heap=%s " % heap in rest:
            live[block] = int(re.search(r"requested=(\d+)", rest)[1])
            total += live[block]
            count += 1
        elif kind == "free":
            total -= live.pop(block, 0)
        peak = max(peak, total)
    return total, peak, count


for name in ("torch-2022", "torch-cpp", "torch-mosaic", "torch-cs336"):
    path = pathlib.Path(sys.argv[1]) / (name + ".pickle" + (".gz" if name == "torch-cs336" else ""))
    data = path.read_bytes()
    snapshot = pickle.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    run("memimport", "-q", path, "-o", "t.fb")
    run("memdump", "--check", "-q", "t.fb")
    heaps = {heap["name"]: heap for heap in json.loads(run("memdump", "--summary", "--format=json", "t.fb"))["heaps"]}
    segments = snapshot["segments"]
    assert heaps["torch.cuda:0.segments"]["live_bytes"] == sum(s["total_size"] for s in segments), name
    assert heaps["torch.cuda:0"]["reserved_bytes"] == sum(s["total_size"] for s in segments), name
    allocated = sum(b["size"] for s in segments for b in s["blocks"] if b["state"] == "active_allocated")
    assert heaps["torch.cuda:0"]["live_bytes"] == allocated, name
    # Mosaic's snapshot is invented: its sums are others.
    assert name == "torch-mosaic" or allocated == sum(s["allocated_size"] for s in segments), name
    if name != "torch-2022":
        assert requested("t.fb") == replay(snapshot), (name, requested("t.fb"), replay(snapshot))
