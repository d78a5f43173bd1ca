"""The alerts of TRACE are at the events that cross bounds: NAME=BYTES..., a heap or `host`."""
import csv
import subprocess
import sys

trace, *wanted = sys.argv[1:]
events = subprocess.run(["memdump", "--format=csv", trace], check=True, stdout=subprocess.PIPE, text=True).stdout
rows = list(csv.DictReader(events.splitlines()))
marks = [l.split() for l in subprocess.run(["memdump", trace], check=True, stdout=subprocess.PIPE,
                                           text=True).stdout.splitlines() if "  alert  " in l]
for item in wanted:
    name, bound = item.rsplit("=", 1)
    bound = int(bound)
    live, armed, crossings, sizes = 0, True, [], {}
    for row in rows:
        block = row["process"], row["block"]
        if row["event"] == "alloc" and name != "host" and row["heap"] != name:
            continue
        if row["event"] == "free" and block not in sizes:
            continue
        if row["event"] == "alloc":
            sizes[block] = int(row["size"])
            live += sizes[block]
        else:
            live -= sizes.pop(block)
        if armed and live > bound:
            crossings.append(row["time_ns"])
            armed = False
        armed |= live < bound * 0.9
    assert len(crossings) == 2, (item, crossings)
    for time in crossings:
        seconds = f"{int(time) / 1e9:.7f}"
        assert any(abs(float(m[0]) - float(seconds)) < 2e-7 for m in marks), (item, seconds, marks)
