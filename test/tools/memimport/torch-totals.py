# Sums of imported snapshots equal those of the allocator that wrote them.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %S/Inputs/make-torch.py

import json
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def check(*options, exact=True):
    """Compares a snapshot with its trace. Not exact: blocks from before the events may have ends of up to 1 MiB that
    no event tells."""
    known = json.loads(run(sys.executable, sys.argv[1], "s.pickle", *options))
    run("memimport", "-q", "s.pickle", "-o", "t.fb")
    run("memdump", "--check", "-q", "t.fb")
    found = json.loads(run("memdump", "--summary", "--format=json", "t.fb"))
    heaps = {heap["name"]: heap for heap in found["heaps"]}
    for name, sums in known.items():
        tensors, segments = heaps["torch." + name], heaps["torch." + name + ".segments"]
        # Without free_requested, a block lives until its memory is free.
        peak = sums["active_peak" if "skip=free_requested" in options else "allocated_peak"]
        slack = 0 if exact else peak * 0.02
        for what, ours, theirs, off in (
            ("allocated at the end", tensors["live_bytes"], sums["allocated_end"], 0),
            ("allocated at the peak", tensors["peak_bytes"], peak, slack),
            ("reserved at the end", segments["live_bytes"], sums["reserved_end"], 0),
            ("reserved at the peak", segments["peak_bytes"], sums["reserved_peak"], 0),
            ("reserved, by marks", tensors["reserved_bytes"], sums["reserved_end"], 0),
            ("reserved peak, by marks", tensors["reserved_peak_bytes"], sums["reserved_peak"], 0),
        ):
            assert abs(ours - theirs) <= off, (options, name, what, ours, theirs)
        before = tensors["allocations"] - sums["allocations"]
        assert before == 0 if not any(o.startswith("ring") for o in options) else before >= 0, (options, before)
    assert not any(found["losses"].values()), (options, found["losses"])


# All generations and writers.
for generation in "abcd":
    check("generation=" + generation)
for writer in ("2", "3", "4", "5", "jit"):
    check("writer=" + writer, "seed=2")
    check("writer=" + writer, "seed=3", "order=traces", "devices=3", "streams=2")

# What lived before the events is undone.
for seed in range(4, 12):
    check("seed=%d" % seed, "events=600", "ring=%d" % (50 * (seed - 3)), exact=False)
    check("seed=%d" % seed, "events=600", "ring=%d" % (50 * (seed - 3)), "expandable=1")
    check("seed=%d" % seed, "events=600", "ring=300", "devices=2", "streams=2", "context=alloc", exact=False)

# Segments that expand, and that a device has no memory for.
for seed in range(12, 18):
    check("seed=%d" % seed, "events=900", "expandable=1", "streams=2")
    check("seed=%d" % seed, "events=900", "limit=300")
    check("seed=%d" % seed, "skip=free_requested", "events=900")
    check("seed=%d" % seed, "skip=free_requested", "events=900", "ring=400", exact=False)
