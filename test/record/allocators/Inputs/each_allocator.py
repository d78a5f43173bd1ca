"""Builds the program with each allocator that is here, and records it.

    each_allocator.py CC SOURCE BASE

Each line with KEEP has 20 blocks of 100,000 bytes, no other line has any, and nothing is lost."""

import json
import re
import subprocess
import sys

*cc, source, base = sys.argv[1:]
LIBRARIES = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2.0"}


def kept_lines(allocator):
    """The numbers of the lines with KEEP in the allocator's function."""
    found, inside = [], False
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("static void "):
                inside = line.startswith("static void %s(" % allocator)
            if inside and line.strip().startswith("KEEP("):
                found.append(number)
    return found


def record(program, trace, *options):
    subprocess.run(["memrec", "-q", "-o", trace, *options, "--", program], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run(["memdump", "--summary", "--format=json", trace], check=True, stdout=subprocess.PIPE).stdout
    events = json.loads(said)["events"]
    assert events["lost"] == 0, (trace, events)


tried = 0
for allocator, library in LIBRARIES.items():
    for binding in ("now", "lazy"):
        program = "%s.%s.%s" % (base, allocator, binding)
        built = subprocess.run([*cc, "-g", "-O1", source, "-o", program, "-Wl,-z," + binding, "-Wl,--no-as-needed",
                                "-l:" + library, "-ldl"], stderr=subprocess.PIPE, text=True)
        if built.returncode:
            assert "cannot find" in built.stderr, built.stderr
            continue
        tried += 1
        record(program, program + ".fb")
        live = subprocess.run(["memleak", "-v", "--kind=exit", "--no-default-suppressions", "--format=json", program + ".fb"],
                              stdout=subprocess.PIPE).stdout
        lines = {}
        for finding in json.loads(live)["findings"]:
            of = [f for f in finding["stack"] if (f.get("file") or "").endswith("functions.c")]
            if of and finding["heap"] == "host.malloc":
                now = lines.get(of[0]["line"], (0, 0))
                lines[of[0]["line"]] = (now[0] + finding["blocks"], now[1] + finding["bytes"])
        lines = {line: sums for line, sums in lines.items() if sums[1] > 50000}
        assert lines == {line: (20, 2000000) for line in kept_lines(allocator)}, (program, lines, kept_lines(allocator))
        record(program, program + ".sampled.fb", "--sample=20000")
print("%d programs" % tried)
