# compare-operators.py PROFILER OPERATORS SCOPES: equal calls of each name; times that differ by
# no more than what either of the two observers takes.
import json
import sys


def sums(events, ranges):
    """{name: [calls, self, total]} in ns, of calls that nest in their thread."""
    result, opens = {}, {}
    for name, thread, start, duration in sorted(events, key=lambda e: (e[2], -e[3])):
        stack = opens.setdefault(thread, [])
        while stack and stack[-1][1] <= start and (stack[-1][1] < start + duration or stack[-1][1] == start):
            stack.pop()
        of = result.setdefault(name, [0, 0, 0])
        of[0] += 1
        if name in ranges:
            continue
        of[1] += duration
        if name not in [n for n, _ in stack]:
            of[2] += duration
        if stack:
            result[stack[-1][0]][1] -= duration
        stack.append((name, start + duration))
    return {name: of for name, of in result.items() if name not in ranges}


events, operators, scopes = (json.load(open(path)) for path in sys.argv[1:])
want = sums(events, {s["name"] for s in scopes["scopes"]})
got = {}
for o in operators["operators"]:
    assert o["name"] not in got, o
    got[o["name"]] = (o["calls"], o["self_ns"], o["duration_ns"])
    assert o["self_ns"] <= o["duration_ns"], o
for name in sorted(want.keys() | got.keys()):
    assert want.get(name, [0])[0] == got.get(name, [0])[0], (name, want.get(name), got.get(name))
assert len(got) > 3
calls = sum(w[0] for w in want.values())
for i, what in enumerate(("self", "total"), 1):
    theirs, ours = sum(w[i] for w in want.values()), sum(g[i] for g in got.values())
    print(len(got), "names", calls, "calls", what, theirs, ours)
    assert abs(theirs - ours) < 0.4 * theirs + 5000 * calls
