# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the traces of utils/genjob with its answers, by what memdump says of them."""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

FOLDER = Path(sys.argv[1])
ANSWERS = json.loads((FOLDER / "answers.json").read_text())
FAULTS = ANSWERS["faults"]


def ask(rank, *flags):
    path = FOLDER / ANSWERS["traces"][rank]
    read = subprocess.run(["memdump", "-q", *flags, path], capture_output=True, text=True)
    assert read.returncode == 0, (rank, flags, read.stdout[:300], read.stderr)
    return read.stdout


def summary(rank):
    return json.loads(ask(rank, "--summary", "--format=json"))


def device_steps(rank):
    """The device's values of the steps, from a rank with one device."""
    rows = json.loads(ask(rank, "--steps", "--format=json"))["steps"]
    return [space for row in rows for space in row["spaces"] if space["name"].startswith("cuda:")]


def device_peak(rank):
    return max(row["peak_bytes"] for row in device_steps(rank))


def ends(rank):
    process = summary(rank)["processes"][0]
    return process["exit_status"], process["signal"]


def check_leak(leak):
    live = [row["live_bytes"] for row in device_steps(leak["rank"])]
    assert {b - a for a, b in zip(live, live[1:])} == {leak["bytes_per_step"]}, live
    found = subprocess.run(["memleak", "-q", "--kind=growth", FOLDER / ANSWERS["traces"][leak["rank"]]],
                           capture_output=True, text=True)  # fmt: skip
    assert f"{leak['file']}:{leak['line']} {leak['function']}" in found.stdout, found.stdout


def check_imbalance(imbalance):
    stage = ANSWERS["stages"][imbalance["stage"]]
    faulty = {f["rank"] for f in FAULTS.values() if "rank" in f}
    ranks = [r for r in range(stage["first_rank"], stage["last_rank"] + 1) if r not in faulty]
    usual = median([device_peak(r) for r in ranks] or [stage["device_peak_bytes"]])
    factor = device_peak(imbalance["rank"]) / usual
    assert abs(factor - imbalance["factor"]) < 0.02, (factor, imbalance)


def check_oom(oom):
    (event,) = json.loads(ask(oom["rank"], "--oom", "--format=json"))["ooms"]
    assert event["requested_bytes"] == oom["requested_bytes"], event
    assert len(device_steps(oom["rank"])) == oom["step"]
    assert device_peak(oom["rank"]) == oom["live_bytes"]
    assert ends(oom["rank"]) == (1, None), ends(oom["rank"])


def check_cut(cut):
    steps = json.loads(ask(cut["rank"], "--steps", "--format=json"))["steps"]
    assert {row["step"] for row in steps} == set(range(1, cut["step"] + 1)), steps
    assert ends(cut["rank"])[1] == cut["signal"]


def check_clock(clock):
    """The offset of the machine's ranks from the others is the planted one, to some seconds."""
    headers = [json.loads(ask(r, "--format=json").split("\n", 1)[0]) for r in range(ANSWERS["ranks"])]
    starts = [h["start"]["realtime"] for h in headers]
    others = median([t for r, t in enumerate(starts) if r not in clock["ranks"]])
    for rank in clock["ranks"]:
        assert abs(starts[rank] - others - clock["offset_ns"]) < 3e9, (rank, starts)


def check_others():
    """Ranks without a fault end with the job, and their peaks are those of their stage."""
    faulty = {f["rank"] for f in FAULTS.values() if "rank" in f}
    for stage in ANSWERS["stages"]:
        for rank in set(range(stage["first_rank"], stage["last_rank"] + 1)) - faulty:
            ratio = device_peak(rank) / stage["device_peak_bytes"]
            assert abs(ratio - 1) < 0.01, (rank, ratio)
            assert len(device_steps(rank)) == ANSWERS["last_step"]
            assert ends(rank)[1] == (15 if "oom" in FAULTS else None)


for rank in range(ANSWERS["ranks"]):
    ask(rank, "--check")
for kind, answer in FAULTS.items():
    globals()[f"check_{kind}"](answer)
check_others()
print(len(ANSWERS["traces"]), "traces,", ", ".join(FAULTS) or "no faults")
