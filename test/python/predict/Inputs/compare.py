# compare.py FOLDER NAME...: plans models of models.py for the CPU, runs three real steps of each, and compares the
# peaks of tensors. `seen` is the real run's peak between operators; `recorded` is that of memrec, which also has what
# kernels take inside. Fails where the plan is more than a hundredth off what was seen, but for the models of MISSES.
import json
import os
import subprocess
import sys

import memkit
import models

MISSES = {"lstm": "what oneDNN keeps for backward has no size in a fake tensor",
          "mixture": "how many words each expert gets is a value",
          "speech": "a look between operators makes autograd add gradients to new memory; the recording has the plan's bytes"}
folder, names = sys.argv[1], sys.argv[2:] or list(models.MAKERS)
here = os.path.dirname(os.path.abspath(__file__))
program = [sys.executable, os.path.join(here, "record.py")]


def asked(*command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def peak(path):
    [found] = [h for h in asked("memstat", "-q", "--format=json", path)["heaps"] if h["name"] == "torch.cpu"]
    return found["peak_bytes"]


def line(path):
    """The line of the program that holds most at the peak."""
    rows = asked("memdump", "-q", "--format=json", "--table=lines", "--heap=torch.cpu", path)["lines"]
    return max((r for r in rows if "models.py" in r["name"]), key=lambda r: r["at_peak_bytes"])["name"]


def percent(one, other):
    return "%+.2f %%" % (100 * (one / other - 1))


ROW = "%-26s %12s %12s %9s %12s %9s  %s"
print(ROW % ("model", "predicted", "seen", "", "recorded", "", "largest line"))
failed, lines = [], 0
for name in names:
    path = os.path.join(folder, name)
    plan = memkit.predict(models.make(name), device="cpu", path=path + ".plan.fb", masks=models.MASKS.get(name))
    seen = int(subprocess.run([*program, name, "seen"], stdout=subprocess.PIPE, check=True).stdout)
    subprocess.run(["memrec", "-q", "--force", "--heap=torch.*", "-o", path + ".fb", "--", *program, name], check=True)
    recorded = peak(path + ".fb")
    largest = line(plan.path), line(path + ".fb")
    lines += largest[0] == largest[1]
    shown = largest[0] if largest[0] == largest[1] else "%s; recorded: %s" % largest
    print(ROW % (name, plan.peak_bytes, seen, percent(plan.peak_bytes, seen), recorded,
                 percent(plan.peak_bytes, recorded), shown), flush=True)
    if abs(plan.peak_bytes / seen - 1) > 0.01:
        failed.append(name)
        print("%s: %s" % (name, MISSES.get(name, "a new difference")))
print("%d of %d models within a hundredth of what was seen; the largest line is right in %d"
      % (len(names) - len(failed), len(names), lines))
new = [name for name in failed if name not in MISSES]
sys.exit("more than a hundredth off: " + ", ".join(new) if new else 0)
