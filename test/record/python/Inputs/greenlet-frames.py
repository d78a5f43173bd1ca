# greenlet-frames.py TRUTH LEAKS: compares the Python frames of the leaks with what
# traceback said, and looks at the native ones.

import collections
import json
import sys

truth = json.load(open(sys.argv[1]))
leaks = json.load(open(sys.argv[2]))["findings"]


def alike(frames):
    """Of the innermost frame the line differs: it is that of malloc's call."""
    return tuple((name, 0 if name == "sample" else line) for name, line in frames)


want = collections.Counter(alike(reversed(frames)) for frames in truth)
got = collections.Counter()
for leak in leaks:
    stack = leak["stack"]
    python = [i for i, f in enumerate(stack) if (f["file"] or "").endswith("greenlets.py")]
    frames = alike((stack[i]["function"], stack[i]["line"]) for i in python)
    got[frames] += leak["blocks"]
    # The Python frames of a stack stand together, and a greenlet's has no main.
    assert python == list(range(python[0], python[-1] + 1)), stack
    if frames[-1][0] != "<module>":
        native = [f["function"] for f in stack[python[-1]:]]
        assert not any("Py_RunMain" in f or "pymain" in f for f in native), native
        assert "greenlet" in (stack[-1]["binary"] or "") or "green" in native[-1], native
assert got == want, (got - want, want - got)
assert sum(got.values()) > 60, got
