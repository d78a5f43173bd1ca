# check-parts.py JSON SMAPS: the parts of the last sample against the kernel's own figures of
# the program's mappings.

import json
import re
import sys


def mappings(path):
    """(path or empty, may run, bytes that are resident) of each mapping."""
    found = []
    for line in open(path):
        if head := re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+\s*(.*)", line):
            found.append([head[2], "x" in head[1], 0])
        elif line.startswith("Rss:"):
            found[-1][2] = int(line.split()[1]) << 10
    return found


def close(is_, should_be, what, share=0.01, least=64 << 10):
    assert abs(is_ - should_be) <= max(should_be * share, least), (what, is_, should_be)


last = json.load(open(sys.argv[1]))["resident"][0]["last"]
parts = last["parts"]
kernel = mappings(sys.argv[2])
code = {path for path, runs, _ in kernel if runs and path.startswith("/")}


def of(chosen):
    return sum(bytes for path, _, bytes in kernel if chosen(path))


close(last["bytes"], of(lambda p: True), "all")
close(last["bytes"], sum(parts.values()), "sum", 0, 0)
own = lambda p: p.startswith("/memfd:memkit") or p.endswith("libmemrec.so")
close(parts["shared"], of(lambda p: p.startswith("/memfd:shared")), "shared")
close(parts["file"], of(lambda p: "memkit-parts" in p), "file")
close(parts["mapping"], 24 << 20, "mapping")
close(parts["reserved"], 12 << 20, "reserved")
close(parts["stack"], (2 << 20) + of(lambda p: p == "[stack]"), "stack")
close(parts["malloc"], 4096 * 8192, "malloc")
close(parts["malloc"] + parts["malloc-free"], of(lambda p: p == "[heap]"), "malloc's memory")
# Binaries have zeroed data without a file behind them.
close(parts["module"], of(lambda p: p in code and not own(p) or p.startswith("[v")), "module", 0.05, 256 << 10)
assert parts["other"] <= last["bytes"] * 0.02, parts
arena = last["arenas"][0]
close(arena["live_bytes"], 4096 * 8192, "live in the arena")
close(arena["free_page_bytes"], 4096 * 8192, "free in the arena")
assert not last["malloc_is_estimate"] and not last["malloc_has_unknown_blocks"]
