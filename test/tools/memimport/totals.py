# The totals of imported traces equal those that the other tool prints of the same recording.
#
# REQUIRES: python, memray, pprof, heaptrack
# RUN: rm -rf %t && mkdir %t && cd %t && %memray %python %s %S/Inputs %pprof
"""A table for the docs: totals.py INPUTS PPROF --table."""

import json
import os
import pathlib
import re
import subprocess
import sys

inputs, pprof = pathlib.Path(sys.argv[1]), sys.argv[2]
rows = []


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8").stdout


def totals(path):
    """The sums of a recording by memkit."""
    run("memimport", "-q", path, "-o", "t.fb")
    run("memdump", "--check", "t.fb")
    return json.loads(run("memdump", "--summary", "--format=json", "t.fb"))


def number(text):
    """A number with a decimal suffix, as heaptrack and memray print it, and half of its last digit."""
    value, suffix = re.fullmatch(r"([\d.]+)\s*([kKMG]?)B?", text).groups()
    scale = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}[suffix]
    digits = len(value.split(".")[1]) if "." in value else 0
    return float(value) * scale, 0.5000001 * scale / 10**digits


def compare(name, what, ours, text):
    theirs, slack = number(text) if isinstance(text, str) else (text, 0)
    assert abs(ours - theirs) <= slack, (name, what, ours, text)
    rows.append((name, what, f"{ours:,}", text if isinstance(text, str) else f"{text:,}"))


for name in ("heaptrack-1.4.0.zst", "heaptrack-inlined.zst", "heaptrack-1.2.0.gz", "heaptrack-1.5.0.gz"):
    ours = totals(inputs / name)
    text = run("heaptrack_print", "--disable-builtin-suppressions", "--disable-embedded-suppressions", "-p0", "-a0", "-T0", "-l0", inputs / name)
    print_ = lambda what: re.search(what + r": ([\d.]+[KMG]?B?)", text).group(1)
    compare(name, "allocations", ours["events"]["allocations"], print_("calls to allocation functions"))
    compare(name, "peak", ours["totals"]["peak_bytes"], print_("peak heap memory consumption"))
    compare(name, "leaked", ours["totals"]["live_bytes"], print_("total memory leaked"))

name = "memray-1.20.0.bin"
ours = totals(inputs / name)
text = run(sys.executable, "-m", "memray", "stats", inputs / name)
value = lambda what: re.search(what + r":\s*([\d.]+[kMG]?B?)", text).group(1)
compare(name, "allocations", ours["events"]["allocations"], value("Total allocations"))
compare(name, "peak", ours["totals"]["peak_bytes"], value("Peak memory usage"))
compare(name, "allocated", ours["totals"]["allocated_bytes"], value("Total memory allocated"))

for name, index in (("gperftools.heap", "1"), ("go-legacy.heap", "inuse_space"), ("jax-memory.prof", "space"),
                    ("gperftools-2.8.1.heap", "inuse_space"), ("gperftools-2.16-mmap.heap", "inuse_space"),
                    ("gperftools-2.16-sampled.heap", "space"), ("gperftools-2.16-growth.heap", "space"),
                    ("go-1.15.pb.gz", "inuse_space"), ("go-1.24.pb.gz", "inuse_space"),
                    ("go-1.24.heap.gz", "inuse_space"), ("node-5.20.pb.gz", "inuse_space"),
                    ("jax-0.4.20.prof", "space"), ("jax-0.10.2.prof", "space")):
    ours = totals(inputs / name)
    text = run(pprof, "-top", "-unit=B", "-symbolize=none", "-sample_index=" + index, inputs / name)
    live = sum(space["live_bytes"] for space in ours["spaces"])
    compare(name, "live", live, int(re.search(r"of (\d+)B total", text).group(1)))

# A fresh recording of each, and of more.
if not os.environ.get("SHORT"):
    program = "keep = [bytearray(5000 + i) for i in range(2000)]\ndel keep[::2]\n"
    pathlib.Path("program.py").write_text(program)
    for extra in ([], ["--native", "--trace-python-allocators"]):
        run(sys.executable, "-m", "memray", "run", "-q", "-f", *extra, "-o", "own.bin", "program.py")
        ours = totals("own.bin")
        text = run(sys.executable, "-m", "memray", "stats", "own.bin")
        kind = "memray run " + " ".join(extra)
        compare(kind, "allocations", ours["events"]["allocations"], value("Total allocations"))
        compare(kind, "peak", ours["totals"]["peak_bytes"], value("Peak memory usage"))
        compare(kind, "allocated", ours["totals"]["allocated_bytes"], value("Total memory allocated"))
    for raw in ("", "-r"):
        command = ["heaptrack", *raw.split(), "-o", "own" + raw, sys.executable, "program.py"]
        run(*command)
        path = next(pathlib.Path(".").glob("own-r.raw.*" if raw else "own.[zg]*"))
        ours = totals(path)
        if raw:
            assert abs(ours["events"]["allocations"] - heaptrack_allocations) < 50
            continue
        text = run("heaptrack_print", "--disable-builtin-suppressions", "--disable-embedded-suppressions", "-p0", "-a0", "-T0", "-l0", path)
        heaptrack_allocations = ours["events"]["allocations"]
        compare("heaptrack", "allocations", ours["events"]["allocations"], print_("calls to allocation functions"))
        compare("heaptrack", "peak", ours["totals"]["peak_bytes"], print_("peak heap memory consumption"))
        compare("heaptrack", "leaked", ours["totals"]["live_bytes"], print_("total memory leaked"))

if "--table" in sys.argv:
    print("| recording | value | memkit | the other tool |\n|---|---|---:|---:|")
    for row in rows:
        print("| %s | %s | %s | %s |" % row)
