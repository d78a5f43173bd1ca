# compare-layers.py TRUTH ASM FORWARD BACKWARD: how much of what truth.py has counted
# stands in the trace (memdump --format=asm) with the same phase, layer, operator and
# size; at least the given parts, by count and by bytes.
import collections
import json
import re
import sys

strings, scopes, scope_paths, heaps = {}, {}, {0: (0, 0)}, {}
found = collections.Counter()


def text(value):
    return strings.get(int(value)) if value.isdigit() else json.loads(value)


def path(scope_path):
    """Phase, innermost layer, operators."""
    phase, layer, operators = None, None, set()
    while scope_path:
        scope_path, scope = scope_paths[scope_path]
        kind, name = scopes[scope]
        if kind == "operator":
            operators.add(name)
        elif kind == "layer":
            layer = layer or name
        elif kind == "phase":
            phase = phase or name
    return phase, layer, operators


with open(sys.argv[2], encoding="utf-8", errors="replace") as asm:
    for line in asm:
        line = line.strip()
        if match := re.match(r'string (\d+) (".*")$', line):
            strings[int(match[1])] = json.loads(match[2])
        elif match := re.match(r"scope (\d+) (\w+) name=(\S+)", line):
            scopes[int(match[1])] = match[2], text(match[3])
        elif match := re.match(r"scope-path (\d+)(?: parent=(\d+))? scope=(\d+)", line):
            scope_paths[int(match[1])] = int(match[2] or 0), int(match[3])
        elif match := re.match(r"heap (\d+) name=(\S+)", line):
            heaps[match[1]] = text(match[2])
        elif " alloc " in line and (match := re.search(r" heap=(\d+)", line)):
            if heaps[match[1]] != "torch.cpu":
                continue
            size = int(re.search(r" size=(\d+)", line)[1])
            scope_path = re.search(r" scope-path=(\d+)", line)
            phase, layer, operators = path(int(scope_path[1]) if scope_path else 0)
            for operator in operators:
                found[phase, layer, operator, size] += 1

bad = 0
for phases, least in ((("forward",), float(sys.argv[3])),
                      (("backward", "recompute"), float(sys.argv[4]))):
    count = bytes_ = right = right_bytes = 0
    for phase, layer, operator, size, n in json.load(open(sys.argv[1])):
        if phase not in phases:
            continue
        same = min(n, found[phase, layer, operator, size])
        if same < n:
            print("%d of %d: %s %s %s %d" % (same, n, phase, layer, operator, size))
        count += n
        bytes_ += n * size
        right += same
        right_bytes += same * size
    print("%s: %d of %d allocations, %d of %d bytes" % (phases[0], right, count,
                                                       right_bytes, bytes_))
    bad += not count or right < least * count or right_bytes < least * bytes_
sys.exit(bad)
