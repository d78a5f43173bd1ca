# compiled.py FOLDER NAME...: peaks of torch.cpu in recordings of models of models.py, eager and compiled by inductor,
# beside the plan, which is eager's. A model compiles for half a minute. `compiled.py run NAME eager|compiled` is what is
# recorded. Fails where a compiled model is outside of the range that a plan's note tells.
import json
import os
import re
import subprocess
import sys

import torch

import memkit
import models


def compiled(network, loss_of, optimizer=torch.optim.AdamW, **options):
    fast = torch.compile(network)
    optimizer = optimizer(network.parameters(), **{"lr": 1e-3, **options})

    def step():
        loss = loss_of(fast)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def peak(path):
    done = subprocess.run(["memstat", "-q", "--format=json", path], stdout=subprocess.PIPE, check=True)
    [found] = [h for h in json.loads(done.stdout)["heaps"] if h["name"] == "torch.cpu"]
    return found["peak_bytes"]


def recorded(folder, name, how):
    path = os.path.join(folder, name + "." + how + ".fb")
    subprocess.run(["memrec", "-q", "--force", "--heap=torch.*", "-o", path, "--", sys.executable, __file__, "run", name,
                    how], check=True)
    return peak(path)


if sys.argv[1] == "run":
    if sys.argv[3] == "compiled":
        models.trained = compiled
    step = models.make(sys.argv[2])
    for _ in range(4):
        step()
    sys.exit()

failed = []
for name in sys.argv[2:]:
    trained, models.trained = models.trained, compiled
    plan = memkit.predict(models.make(name), device="cpu", path=os.path.join(sys.argv[1], name + ".plan.fb"))
    models.trained = trained
    [least, most] = re.findall(r"took ([0-9]+) to ([0-9.]+) % of that", "\n".join(plan.notes))[0]
    eager, fast = recorded(sys.argv[1], name, "eager"), recorded(sys.argv[1], name, "compiled")
    part = 100 * fast / eager
    print("%-20s planned %11d  eager %11d  compiled %11d  %5.1f %%" % (name, plan.peak_bytes, eager, fast, part), flush=True)
    if not float(least) - 0.5 <= part <= float(most) + 0.05:
        failed.append(name)
sys.exit("outside of the told range: " + ", ".join(failed) if failed else 0)
