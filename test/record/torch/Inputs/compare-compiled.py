# compare-compiled.py ANSWERS ASM [EXCEPTIONS]: all tensors of the sizes in ANSWERS have the layer there, and the
# line, if there is one: of compiled.py, in backward that of the forward pass. ASM: of memdump
# --format=asm. EXCEPTIONS: so many of a size may differ (default 0).
import json
import os
import re
import sys

strings, functions, frames, nodes, stacks = {}, {}, {}, [(0, 0)], {}
scopes, scope_paths, heaps = {}, {0: (0, 0)}, {}
PROGRAM = "compiled.py"


def text(value):
    return strings.get(int(value)) if value.isdigit() else json.loads(value)


def line_at(stack):
    """The innermost line of the program."""
    node = stacks[stack]
    while node:
        node, frame = nodes[node]
        function, line = frames.get(frame, (0, 0))
        if functions.get(function) == PROGRAM:
            return line
    return None


def scopes_at(scope_path):
    """Phase, innermost layer, line."""
    found = {}
    while scope_path:
        scope_path, scope = scope_paths[scope_path]
        kind, name = scopes[scope]
        found.setdefault(kind, name)
    line = re.match(re.escape(PROGRAM) + r":(\d+) ", found.get("line") or "")
    return found.get("phase"), found.get("layer"), int(line[1]) if line else None


def read(asm):
    """Bytes, phase, layer, lines of each tensor."""
    for row in asm:
        row = row.strip()
        if match := re.match(r'string (\d+) (".*")$', row):
            strings[int(match[1])] = json.loads(match[2])
        elif match := re.match(r"function (\d+) name=\S+ file=(\S+)", row):
            functions[int(match[1])] = os.path.basename(text(match[2]) or "")
        elif match := re.match(r"frame (\d+) python function=(\d+) line=(\d+)", row):
            frames[int(match[1])] = int(match[2]), int(match[3])
        elif match := re.match(r"stack (\d+)(?: node=(\d+))? frames=\[([\d ]*)\]", row):
            at = int(match[2] or 0)
            for frame in match[3].split():
                nodes.append((at, int(frame)))
                at = len(nodes) - 1
            stacks[int(match[1])] = at
        elif match := re.match(r"stack (\d+) node=(\d+)$", row):
            stacks[int(match[1])] = int(match[2])
        elif match := re.match(r"scope (\d+) (\w+) name=(\S+)", row):
            scopes[int(match[1])] = match[2], text(match[3])
        elif match := re.match(r"scope-path (\d+)(?: parent=(\d+))? scope=(\d+)", row):
            scope_paths[int(match[1])] = int(match[2] or 0), int(match[3])
        elif match := re.match(r"heap (\d+) name=(\S+)", row):
            heaps[match[1]] = text(match[2])
        elif " alloc " in row and (match := re.search(r" heap=(\d+)", row)):
            if heaps[match[1]] != "torch.cpu":
                continue
            scope_path = re.search(r" scope-path=(\d+)", row)
            phase, layer, scope_line = scopes_at(int(scope_path[1]) if scope_path else 0)
            line = line_at(int(re.search(r" stack=(\d+)", row)[1]))
            yield int(re.search(r" size=(\d+)", row)[1]), phase, layer, scope_line, line


bad = 0
exceptions = int(sys.argv[3]) if len(sys.argv) > 3 else 0
with open(sys.argv[2], encoding="utf-8", errors="replace") as asm:
    tensors = list(read(asm))
for phase, size, line, layer in json.load(open(sys.argv[1])):
    count = right = 0
    for tensor in tensors:
        if tensor[:2] != (size, phase):
            continue
        count += 1
        # Without generated code, backward runs without the program's lines.
        if tensor[2] == layer and (not line or line in tensor[3:]):
            right += 1
        else:
            print("not layer %s, line %s: %s" % (layer, line, tensor))
    print("%s %d: %d of %d" % (phase, size, right, count))
    bad += not right or right < count - exceptions
sys.exit(bad)
