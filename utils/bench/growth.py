# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder's own memory grows with: events, live blocks, stacks.

Each figure is a slope between two recordings that differ in one thing, so that what
the recorder takes at its start cancels."""

import json
import subprocess

import measure
import recorders
from workloads import build_program, build_storm


class Recording:
    """One recording of memrec: its resident peak, and what the trace counts."""

    def __init__(self, tools, folder, command):
        memrec = recorders.Memrec(tools)
        out = folder / "program.out"
        with open(out, "wb") as stream:
            cost = measure.run([str(tools / "memrec"), "--force", "-o", str(folder / "trace.fb"), "--",
                                *command], env=recorders.clean_environment(), cwd=folder, stdout=stream)
        self.rss = cost.own_rss
        self.events = memrec.count(folder).events
        text = subprocess.run([str(tools / "memdump"), "--summary", "--format=json",
                               str(folder / "trace.fb")], check=True, capture_output=True).stdout
        self.stacks = json.loads(text)["stacks"]
        self.output = out.read_text(encoding="ascii", errors="replace")


def growth(tools, folder, tiny):
    """[(what, bytes, per, aim)]."""
    storm, live = build_storm(folder), build_program(folder, "live.cpp")
    scale = 200 if tiny else 1

    def record(*command):
        return Recording(tools, folder, [str(part) for part in command])

    base = record(storm, 1, 5_000_000 // scale)
    longer = record(storm, 1, 40_000_000 // scale)
    few, many = 1_000_000 // scale, 10_000_000 // scale
    small, large = record(live, few), record(live, many)
    wide = record(storm, 1, 5_000_000 // scale, 20_000 // scale)
    longest, pauses = large.output.split()
    return [
        ("recorder, per 1,000 events", (longer.rss - base.rss) / (longer.events - base.events) * 1000,
         "bytes", 1),
        ("recorder, per live block", (large.rss - small.rss) / (many - few), "bytes", 48),
        ("recorder, per distinct stack with its nodes", (wide.rss - base.rss) /
         max(1, wide.stacks - base.stacks), "bytes", None),
        (f"longest time between two allocations, {many:,} live", int(longest) / 1000, "ms", None),
        ("of these over 5 ms", int(pauses), "times", 0),
    ]
