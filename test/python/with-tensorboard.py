# REQUIRES: tensorboard, libmemkit
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: memas --summarize %src_root/test/tools/memview/page/Inputs/training.mas -o leak.fb
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python %s missing
# RUN: env PYTHONPATH=%obj_root/share/memkit/python:%tensorboard memrec -q -o own.fb -- %python %s callback
# RUN: memas %src_root/docs/examples/after.mkt --summarize -o after.fb
# RUN: env PYTHONPATH=%obj_root/share/memkit/python:%tensorboard %python %s traces
#
# What memkit.tensorboard writes is read back by TensorBoard's own reader.

import os
import sys

import memkit
import memkit.tensorboard

if sys.argv[1] == "missing":
    try:
        memkit.tensorboard.write("leak.fb", "none")
        raise SystemExit("no ImportError")
    except ImportError as problem:
        assert "pip install tensorboard" in str(problem), problem
    sys.exit()

if sys.argv[1] == "callback":
    memory = memkit.tensorboard.Callback("own")
    kept = []
    for _ in range(5):
        kept.append(bytearray(1_000_000))
        memory.step()
    memory.step(100)
    memory.close()
    sys.exit()

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def read(folder):
    events = EventAccumulator(folder)
    events.Reload()
    return events


def scalars(events, tag):
    return [(one.step, int(one.value)) for one in events.Scalars(tag)]


# Scalars of steps, as the table of steps has them; the text; the page.
count = memkit.tensorboard.write("leak.fb", "leak")
events = read("leak")
tags = events.Tags()
assert tags["scalars"] == ["memory/host/peak", "memory/host/live", "memory/cuda:0/peak", "memory/cuda:0/live"], tags
with memkit.open("leak.fb") as trace:
    for space in ("host", "cuda:0"):
        rows = [row for row in trace.steps() if row.space == space]
        assert scalars(events, f"memory/{space}/peak") == [(row.step, row.peak_bytes) for row in rows]
        assert scalars(events, f"memory/{space}/live") == [(row.step, row.live_bytes) for row in rows]
    assert count == 2 * len(trace.steps())
times = [one.wall_time for one in events.Scalars("memory/host/peak")]
assert times[0] == 3 and times == sorted(times), times
(text,) = events.Tensors("memkit")
assert b"### LEAK  train.py:40 log" in text.tensor_proto.string_val[0], text
with open("leak/memkit.html") as page:
    assert page.read(100).startswith("<!doctype html>"), "no page"

# Without steps: the curves. Without the page; an open trace stays open.
with memkit.open("after.fb") as trace:
    assert memkit.tensorboard.write(trace, "after", page=False) > 0
    assert len(trace.heaps) > 0
events = read("after")
assert "memory/host.malloc/live" in events.Tags()["scalars"], events.Tags()
assert os.listdir("after") and "memkit.html" not in os.listdir("after")

# What a program wrote itself.
events = read("own")
live = scalars(events, "memory/live")
assert [step for step, _ in live] == [0, 1, 2, 3, 4, 100], live
assert live[4][1] - live[0][1] >= 4_000_000 and {"memory/peak", "memory/host.malloc/live"} <= set(events.Tags()["scalars"])
# A program that is not recorded writes nothing.
memory = memkit.tensorboard.Callback("alone")
memory.step()
memory.close()
assert read("alone").Tags()["scalars"] == []

for wrong in ("missing.fb", __file__):
    try:
        memkit.tensorboard.write(wrong, "wrong")
        raise SystemExit("no error")
    except memkit.TraceError as problem:
        assert wrong in str(problem), problem
