# categories-over-time.py TRUTH ASM: whether the categories of blocks (memdump --format=asm) give,
# at each moment of categories.py, the parameters, gradients and optimizer's state that the
# model's own tensors say, blocks and bytes, exactly. A moment is an out-of-memory event.
import collections
import json
import re
import sys

truth = json.load(open(sys.argv[1]))
moments, events, category = [], [], {}
section = ""
with open(sys.argv[2], encoding="utf-8", errors="replace") as asm:
    for line in asm:
        if line == "\n":
            continue
        if line[0] != " ":
            section = line.split()[0]
        elif section == "block-categories":
            word, block, name = line.split()
            category[block] = name
        elif section == "events" and (match := re.match(r"  (\d+) th\d+ (\w+) (#\d+)(?: size=(\d+))?", line)):
            events.append((int(match[1]), match[2], match[3], int(match[4] or 0)))
        elif section == "marks" and (match := re.match(r"  (\d+) oom ", line)):
            moments.append(int(match[1]))

bad = len(moments) != len(truth)
live = {}
at = 0
for time, moment in zip(sorted(moments), truth):
    while at < len(events) and events[at][0] <= time:
        _, kind, block, size = events[at]
        at += 1
        if kind == "free":
            del live[block]
        else:
            live[block] = size
    sums = collections.defaultdict(lambda: [0, 0])
    for block, size in live.items():
        of = sums[category.get(block, "none")]
        of[0] += 1
        of[1] += size
    for name in ("parameter", "gradient", "optimizer-state"):
        if sums[name] != moment[name]:
            print("%s: %s: %s of blocks, %s in truth" % (moment["name"], name, sums[name], moment[name]))
            bad = True
    if sums["none"][0]:
        print("%s: %d blocks without a category" % (moment["name"], sums["none"][0]))
        bad = True
print("%d blocks have a category" % len(category))
sys.exit(bad)
