# Pickles of few bytes that stand for much: a list or dict that many others name, chains of such lists, a container in
# itself. Each gives a trace or an error, soon and in little memory.
#
# The sanitizer needs more addresses than the limit allows.
# UNSUPPORTED: asan
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s

import pathlib
import pickle
import resource
import subprocess
import time


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def run(name, data):
    pathlib.Path("s.pickle").write_bytes(data)
    start = time.monotonic()
    done = subprocess.run(["memimport", "-q", "--from=torch-snapshot", "s.pickle", "-o", "x.fb"], stderr=subprocess.PIPE,
                          encoding="utf-8", preexec_fn=limit, timeout=60, check=False)
    assert done.returncode in (0, 1), (name, done)
    assert done.returncode == 0 or "s.pickle: offset " in done.stderr, (name, done.stderr)
    took = time.monotonic() - start
    assert took < 20, (name, took)
    return done.stderr


def dump(name, value):
    return run(name, pickle.dumps(value, 4))


N = 100_000
event = {"action": "alloc", "addr": 4096, "size": 3, "time_us": 1}
segment = {"device": 0, "address": 1 << 20, "total_size": 1 << 21}
long = [None] * N
nested = long
for _ in range(20):
    nested = [nested] * 10
wide = {str(k): k for k in range(N)}
ring = []
ring.append(ring)
loop = {}
loop["loop"] = loop

for key in ("frames", "user_metadata", "compile_context", "pool_id", "stream", "size", "time_us", "action", "addr"):
    for value in (long, nested, wide, ring, loop):
        dump("event", {"device_traces": [[{**event, key: value} for _ in range(3)] * 1000 + [{**event, key: value}] * N]})
dump("events", {"device_traces": [[event] * N]})
dump("wide event", {"device_traces": [[{**event, **wide}] * N]})
many = [event] * N
assert "again and again" in dump("traces", {"device_traces": [many] * 1000})
blocks = [{"size": 512, "state": "active_allocated"}] * N
assert "again and again" in dump("blocks", {"segments": [{**segment, "blocks": blocks} for _ in range(N // 10)]})
dump("segments", {"segments": [{**segment, "blocks": blocks}] * N})
for key in ("frames", "history", "state", "size", "requested_size", "address"):
    block = {"size": 512, "state": "active_allocated", key: nested}
    dump("block", {"segments": [{**segment, "blocks": [block] * N}]})
frame = {"name": long, "filename": wide, "line": ring}
dump("frames", {"device_traces": [[{**event, "frames": [frame] * N} for _ in range(5)]]})
dump("annotations", {"segments": [], "external_annotations": [{"name": "x" * 1000, "stage": "START"}] * N})
dump("ranges", {"segments": [], "external_annotations": [
    {"name": "r%d" % (k % 300), "stage": "START" if k % 3 else "END", "time_us": k} for k in range(N)]})
dump("settings", {"segments": [], "allocator_settings": wide, "other": nested, **wide})
dump("itself", ring)
dump("itself", {"segments": ring, "device_traces": ring, "external_annotations": ring})

# Bytes without values: opens, numbers, the memo.
for name, data in (("marks", b"\x80\x04" + b"(" * 5_000_000), ("lists", b"\x80\x04" + b"]" * 8_000_000),
                   ("gets", b"\x80\x04]\x94" + b"h\0" * 8_000_000), ("puts", b"\x80\x04N" + b"r\xff\xff\xff\xff" * 3_000_000 + b"."),
                   ("memo", b"\x80\x04N" + b"\x94" * 8_000_000 + b"j\xff\xff\x30\1" * 3 + b"."),
                   ("dicts", b"\x80\x04" + b"}\x94" * 5_000_000 + b"."),
                   ("kept", b"\x80\x04}\x8c\x08segments](" + b"".join(b"]\x94j" + k.to_bytes(4, "little") for k in range(3_000_000)) + b"es.")):
    run(name, data)
