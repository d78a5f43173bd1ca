# A snapshot that memimport has read and memdump has written is the snapshot again: segments, blocks, events with their
# order, sizes, times and stacks, ranges. What a trace does not have is left out of the comparison: the time of
# free_completed, the stacks of frees, the handles of streams.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %S/Inputs

import json
import pathlib
import pickle
import pickletools
import subprocess
import sys

inputs = pathlib.Path(sys.argv[1])
# The opcodes that memory_viz reads.
KNOWN = set("PROTO FRAME MEMOIZE BINGET LONG_BINGET MARK EMPTY_DICT EMPTY_LIST APPEND APPENDS SETITEMS SHORT_BINUNICODE "
            "BINUNICODE BININT BININT1 BININT2 LONG1 BINFLOAT TUPLE2 NEWTRUE NEWFALSE STOP".split())


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def frames(value, moves):
    """Frames of C++ have an unknown file as `` or `??`; Python's frames behind native ones move: only their set stays."""
    out = [(f["name"], f["filename"] or "??", f["line"], f.get("fx_node_name")) for f in value]
    return sorted(out, key=str) if moves else out


def segments(snapshot, moves, is_old):
    out = []
    for s in sorted(snapshot["segments"], key=lambda s: (s["device"], s["address"])):
        blocks, at = [], s["address"]
        for b in s["blocks"]:
            if b["state"] == "active_allocated":
                stack = b["history"][0]["frames"] if is_old and "history" in b else b.get("frames", [])
                blocks.append((b.get("address", at), b["size"], b["requested_size"], frames(stack, moves)))
            at += b["size"]
        out.append((s["device"], s["address"], s["total_size"], bool(s["stream"]), blocks))
    return out


def events(trace, moves):
    out = []
    for e in trace:
        if e["action"] == "free_completed":
            continue
        key = e.get("addr", e.get("device_free"))
        stack = frames(e["frames"], moves) if e["action"] in ("alloc", "segment_alloc", "oom") else None
        out.append((e["action"], key, e["size"], bool(e["stream"]), e.get("time_us"), stack))
    return out


def check(name, moves=False, is_old=False, compare_events=True):
    run("memimport", "-q", name, "-o", "a.fb")
    run("memdump", "--format=torch-snapshot", "a.fb", "-o", "back.pickle")
    data = pathlib.Path("back.pickle").read_bytes()
    opcodes = {op.name for op, _, _ in pickletools.genops(data)}
    assert opcodes <= KNOWN, opcodes - KNOWN
    old, new = pickle.loads(pathlib.Path(name).read_bytes()), pickle.loads(data)
    assert segments(new, moves, False) == segments(old, moves, is_old), name
    if compare_events:
        for device, trace in enumerate(old["device_traces"]):
            back = new["device_traces"][device] if device < len(new["device_traces"]) else []
            assert events(back, moves) == events(trace, moves), (name, device)
        assert old.get("external_annotations", []) == new["external_annotations"], name
    settings = {k: v for k, v in old.get("allocator_settings", {}).items()
                if v != "" and k != "roundup_power2_divisions"}
    assert new["allocator_settings"] == settings, (name, new["allocator_settings"])
    # A second import is the first one.
    run("memimport", "-q", "back.pickle", "-o", "b.fb")
    sums = [json.loads(run("memdump", "--summary", "--format=json", trace))["heaps"] for trace in ("a.fb", "b.fb")]
    for heaps in sums:
        for heap in heaps:
            # Times need a first event, which may be another one.
            del heap["peak_time_ns"]
    assert sums[0] == sums[1] or not compare_events, (name, sums)


def make(*options):
    run(sys.executable, inputs / "make-torch.py", "s.pickle", *options)
    check("s.pickle", is_old="generation=a" in options)


for generation in "abcd":
    make("generation=" + generation, "events=300")
make("writer=jit", "seed=2")
make("devices=3", "streams=2", "seed=3", "annotations=1", "events=900")
for seed in range(4, 10):
    make("seed=%d" % seed, "ring=%d" % (seed * 60), "events=700")
    make("seed=%d" % seed, "limit=300", "events=900")
    make("seed=%d" % seed, "expandable=1", "events=600")
    make("seed=%d" % seed, "expandable=1", "events=600", "ring=300")

check(inputs / "torch-cpp.pickle", moves=True)
check(inputs / "torch-2022.pickle", is_old=True, compare_events=False)

# Nodes of graphs.
graph = [{"name": "forward", "filename": "<eval_with_key>.3", "line": 17, "fx_node_op": "call_function",
          "fx_node_name": "addmm", "fx_node_target": "aten.addmm",
          "fx_original_trace": '  File "net.py", line 9, in forward\n  File "net.py", line 5, in inner\n'},
         {"name": "<module>", "filename": "train.py", "line": 98}]
event = {"action": "alloc", "addr": 1 << 40, "size": 3, "stream": 0, "time_us": 7, "compile_context": "0/0",
         "user_metadata": "eval", "frames": graph}
pathlib.Path("g.pickle").write_bytes(pickle.dumps({"segments": [], "device_traces": [[event, event]]}))
run("memimport", "-q", "g.pickle", "-o", "g.fb")
run("memdump", "--format=torch-snapshot", "g.fb", "-o", "h.pickle")
assert pickle.loads(pathlib.Path("h.pickle").read_bytes())["device_traces"][0][0] == event
