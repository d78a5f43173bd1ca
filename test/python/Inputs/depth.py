"""Compares the depth of nested.py's scope with the place of its function in the
stack of what is allocated inside: the innermost Python frame."""

import re
import sys

kinds, nodes, leaves = {}, [(0, 0)], {}
depth = stack = None
for line in sys.stdin:
    m = re.match(r"  frame (\d+) (\w+) ", line)
    if m:
        kinds[int(m[1])] = m[2]
    m = re.match(r"  stack (\d+)(?: node=(\d+))?(?: frames=\[(.*)\])?", line)
    if m:
        node = int(m[2] or 0)
        for frame in (m[3] or "").split():
            nodes.append((node, int(frame)))
            node = len(nodes) - 1
        leaves[int(m[1])] = node
    m = re.match(r"  scope-path 1 .*depth=(\d+)", line)
    if m:
        depth = int(m[1])
    m = re.search(r"alloc .*size=1000000[0-9] .*?stack=(\d+)", line)
    if m:
        stack = int(m[1])
path, node = [], leaves[stack]
while node:
    path.insert(0, kinds[nodes[node][1]])
    node = nodes[node][0]
places = [i + 1 for i, kind in enumerate(path) if kind == "python"]
print(sys.argv[1], "depth", depth, "of", path)
sys.exit(0 if len(places) == 3 and depth == places[-1] else 1)
