# compare_parameters.py KERAS MEMSTAT: "equal" if memstat's rows are Keras's.
import json
import sys

with open(sys.argv[1]) as file:
    truth = json.loads(file.read().splitlines()[-1])
with open(sys.argv[2]) as file:
    found = json.load(file)["parameter_list"]
rows = sorted([r["layer"], r["dtype"], bool(r["buffer"]), r["tensors"], r["elements"]] for r in found)
print("equal" if rows == truth else "Keras: %s\nmemkit: %s" % (truth, rows))
sys.exit(rows != truth)
