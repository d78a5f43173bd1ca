# compare-flops.py TRUTH OPERATORS LAYERS: the floating point operations of operators, and of layers forward
# and backward, are those of PyTorch's counter.
import json
import sys

truth, operators, layers = (json.load(open(path)) for path in sys.argv[1:])
by_name = {}
for o in operators["operators"]:
    by_name[o["name"]] = by_name.get(o["name"], 0) + (o["flops"] or 0)
    assert o["flops"] is None or o["shapes"], o
print({name: flops for name, flops in by_name.items() if flops})
assert sum(by_name.values()) == truth["all"], (sum(by_name.values()), truth["all"])
forward = {l["name"]: l["flops"] or 0 for l in layers["layers"] if not l["backward"]}
backward = {l["name"]: l["flops"] or 0 for l in layers["layers"] if l["backward"]}
for name, flops in truth["layers"].items():
    assert forward.get(name, 0) == flops, (name, forward.get(name), flops)
assert len(truth["layers"]) > 2 and any(truth["layers"].values())
# A node of the backward pass belongs to one layer.
assert sum(backward.values()) == truth["all"] - truth["forward"], (backward, truth)
