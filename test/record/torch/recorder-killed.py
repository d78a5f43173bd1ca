# kill -9 of memrec at random moments of a training: the trace has layers, operators, scopes, parameters,
# categories of tensors and out-of-memory events up to a second before.
#
# REQUIRES: python, torch
# RUN: %python %s record %t 1 3

import json
import os
import random
import signal
import subprocess
import sys
import time


def train(log):
    import memkit
    import torch
    from torch import nn

    torch.set_num_threads(1)
    model = nn.Sequential()
    model.add_module("first", nn.Linear(64, 1000))
    model.add_module("last", nn.Linear(1000, 8))
    optimizer = torch.optim.Adam(model.parameters())
    with memkit.scope("all"):
        try:
            torch.empty(1 << 50, dtype=torch.uint8)
        except RuntimeError:
            pass
        step = 0
        while True:
            with memkit.scope("step"):
                loss = model(torch.ones(16, 64)).sum()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            step += 1
            # Of the system's clock, which the parent has, too.
            os.write(log, b"%.6f %d\n" % (time.monotonic(), step))
            time.sleep(0.005)


def rows(trace, view):
    read = subprocess.run(["memdump", "-q", "--" + view, "--format=json", trace], capture_output=True, text=True)
    assert read.returncode == 0, read.stderr
    return json.loads(read.stdout)


def calls(trace, view, name):
    return sum(r["calls"] for r in rows(trace, view)[view] if r["name"] == name and not r.get("backward"))


def check(trace, needed):
    subprocess.run(["memdump", "-q", "--check", trace], stdout=subprocess.DEVNULL, check=True)
    found = {
        "first": calls(trace, "layers", "first"),
        "step": calls(trace, "scopes", "step"),
        "addmm": calls(trace, "operators", "aten::addmm") // 2,
    }
    assert min(found.values()) >= needed, (found, needed)
    assert calls(trace, "scopes", "all") == 1
    ooms = rows(trace, "oom")["ooms"]
    assert [o["requested_bytes"] for o in ooms] == [1 << 50], ooms
    assert sum(c["blocks"] for c in ooms[0]["categories"]) > 0
    # Weights and biases.
    kept = 4 * (64 * 1000 + 1000 + 1000 * 8 + 8)
    said = json.loads(subprocess.run(["memstat", "-q", "--format=json", trace], capture_output=True, text=True).stdout)
    parameters = said["parameter_list"]
    assert {p["layer"] for p in parameters} == {"first", "last"} and sum(p["bytes"] for p in parameters) == kept, parameters
    bytes_of = {}
    for c in rows(trace, "categories")["categories"]:
        bytes_of[c["category"]] = bytes_of.get(c["category"], 0) + c["bytes"]
    assert bytes_of["parameter"] == kept, bytes_of
    assert bytes_of["optimizer_state"] >= 2 * kept, bytes_of


def record(base, rounds, allowed_s):
    random.seed(1)
    for _ in range(rounds):
        log, trace = base + ".log", base + ".fb"
        open(log, "w").close()
        recorder = subprocess.Popen(["memrec", "-q", "--force", "-o", trace, sys.executable, __file__, "train", log],
                                    start_new_session=True)
        while not os.path.getsize(log):
            assert recorder.poll() is None, "the training does not start"
            time.sleep(0.01)
        time.sleep(allowed_s + random.random() * 2)
        killed = time.monotonic()
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        os.killpg(recorder.pid, signal.SIGKILL)
        steps = [line.split() for line in open(log)]
        needed = [int(s[1]) for s in steps if len(s) == 2 and float(s[0]) < killed - allowed_s]
        check(trace, max(needed, default=0))
    print(rounds, "kills")


if sys.argv[1] == "train":
    train(os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND))
else:
    record(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
