# compare.py FOLDER BOUND NAME...: plans each model for the CPU, records three real steps of it, and compares the
# peak and the bytes allocated of tensors. Fails where the peaks differ by more than BOUND (a fraction), unless the
# model stands in MISSES with a reason and its bound.
import json
import os
import subprocess
import sys

import memkit
import models

folder, bound, names = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
here = os.path.dirname(os.path.abspath(__file__))
MISSES = {}


def heap(path):
    """The sums of the tensors' heap, and the layer that holds most at its peak."""
    text = subprocess.run(["memstat", "-q", "--format=json", path], stdout=subprocess.PIPE, check=True).stdout
    [found] = [h for h in json.loads(text)["heaps"] if h["name"] == "torch.cpu"]
    return found


def line(path):
    """The line of the program that holds most at the peak."""
    command = ["memdump", "-q", "--format=json", "--table=lines", "--heap=torch.cpu", path]
    rows = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["lines"]
    return max((r for r in rows if "models.py" in r["name"]), key=lambda r: r["at_peak_bytes"])["name"]


def record(name):
    path = os.path.join(folder, name + ".fb")
    subprocess.run(["memrec", "-q", "--force", "--heap=torch.*", "-o", path, "--", sys.executable,
                    os.path.join(here, "record.py"), name], check=True)
    return path


print("%-26s %12s %12s %8s %8s  %s" % ("model", "predicted", "measured", "peak", "all", "largest line"))
failed = []
for name in names or models.MAKERS:
    plan = memkit.predict(models.make(name), device="cpu", path=os.path.join(folder, name + ".plan.fb"))
    recorded = record(name)
    before, after = heap(plan.path), heap(recorded)
    off = before["peak_bytes"] / after["peak_bytes"] - 1
    all_off = before["allocated_bytes"] / after["allocated_bytes"] - 1
    lines = line(plan.path), line(recorded)
    same = lines[0] if lines[0] == lines[1] else "%s, measured %s" % lines
    print("%-26s %12d %12d %+7.2f%% %+7.2f%%  %s" % (name, before["peak_bytes"], after["peak_bytes"], 100 * off, 100 * all_off, same), flush=True)
    if abs(off) > MISSES.get(name, bound):
        failed.append(name)
sys.exit("more than the bound: " + ", ".join(failed) if failed else 0)
