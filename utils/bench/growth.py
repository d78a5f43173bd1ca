# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the growth of the recorder's memory with events, live blocks and stacks.

Each figure is a slope between two recordings that differ in one quantity, so the
recorder's memory at start cancels out."""

import json
import subprocess

import measure
import recorders
from workloads import build_program, build_storm


class Recording:
    """One recording of memrec: its resident peak, and the counts of the trace."""

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
        summary = json.loads(text)
        self.stacks, self.nodes = summary["stacks"], summary["nodes"]
        self.output = out.read_text(encoding="ascii", errors="replace")


def stacks_and_nodes(few, many):
    """Bytes per stack and per node, from two pairs of recordings: stacks with few new
    nodes each, and stacks with many."""
    (bytes1, stacks1, nodes1), (bytes2, stacks2, nodes2) = [
        (large.rss - small.rss, large.stacks - small.stacks, large.nodes - small.nodes)
        for small, large in (few, many)]
    both = stacks1 * nodes2 - stacks2 * nodes1
    return ((bytes1 * nodes2 - bytes2 * nodes1) / both,
            (stacks1 * bytes2 - stacks2 * bytes1) / both)


def per_thousand(before, after):
    return (after.rss - before.rss) / (after.events - before.events) * 1000


def growth(tools, folder, tiny):
    """[(what, bytes, per, aim)]."""
    storm, live = build_storm(folder), build_program(folder, "live.cpp")
    stacks = build_program(folder, "stacks.cpp")
    scale = 200 if tiny else 1

    def record(*command):
        return Recording(tools, folder, [str(part) for part in command])

    # Buffers reach their largest size in the first tens of millions of events. Later
    # growth is memory that the recorder keeps for the whole run.
    start, middle, end = [record(storm, 1, pairs // scale)
                          for pairs in (5_000_000, 40_000_000, 120_000_000)]
    few, many = 1_000_000 // scale, 10_000_000 // scale
    small, large = record(live, few), record(live, many)
    per_stack, per_node = stacks_and_nodes(*[
        [record(stacks, count // scale, tail) for count in (4_000, most)]
        for tail, most in ((0, 400_000), (30, 100_000))])
    longest, pauses = large.output.split()
    return [
        (f"recorder, per 1,000 events, from {start.events:,} to {middle.events:,}",
         per_thousand(start, middle), "bytes", None),
        (f"recorder, per 1,000 events, from {middle.events:,} to {end.events:,}",
         per_thousand(middle, end), "bytes", 1),
        ("recorder, per live block", (large.rss - small.rss) / (many - few), "bytes", 48),
        ("recorder, per distinct stack", per_stack, "bytes", 128),
        ("recorder, per node of the tree of stacks", per_node, "bytes", 128),
        (f"longest time between two allocations, {many:,} live", int(longest) / 1000, "ms", None),
        ("of these over 5 ms", int(pauses), "times", 0),
    ]
