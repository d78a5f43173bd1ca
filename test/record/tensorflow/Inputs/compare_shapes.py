# compare_shapes.py TRUTH OPERATORS LAYERS: "equal" if the operations of all operators, and those of
# each layer in the forward pass, are those of the program's sums.
import json
import re
import sys

truth, operators, layers = [json.loads(open(path).read().splitlines()[-1] if path == sys.argv[1] else open(path).read())
                            for path in sys.argv[1:]]
found = sum(row["flops"] or 0 for row in operators["operators"])
forward = {re.sub(r"_\d+(?=/|$)", "", row["name"]): row["flops"] for row in layers["layers"]
           if row["flops"] and not row["backward"]}
of_layers = {name: forward.get(name) for name in truth["forward"]}
convolved = [row["shapes"] for row in operators["operators"] if "BackpropFilter" in row["name"]]
good = (found, of_layers) == (truth["all"], truth["forward"]) and all("float32[8,12,12,3] int32[4]" in s or "[8,12,12,6]" in s for s in convolved)
print("equal" if good else "%s, %s; TensorFlow %s; %s" % (found, of_layers, truth, convolved))
sys.exit(not good)
