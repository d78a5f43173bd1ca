# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what was measured as a page."""

import platform
import subprocess
from pathlib import Path


def first_line(command):
    try:
        out = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "not here"
    return ((out.stdout or out.stderr).strip().splitlines() or ["?"])[0]


def machine():
    """One line on the machine that measured."""
    model, cores = "?", 0
    for line in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("model name"):
            model, cores = line.split(":", 1)[1].strip(), cores + 1
    memory = int(Path("/proc/meminfo").read_text(encoding="ascii").split()[1]) // 2**20
    system = first_line(["sh", "-c", ". /etc/os-release && echo $PRETTY_NAME"])
    return f"{model}, {cores} virtual cores, {memory} GiB; {system}, Linux {platform.release()}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def within(value, aim):
    if aim is None:
        return ""
    return "yes" if value <= aim else "**no**"


def recording_tables(results):
    """`results`: {workload: {recorder: Measured}}, with 'alone' in each."""
    sizes, times = [], []
    for workload, measured in results.items():
        alone = measured["alone"]
        for name, got in measured.items():
            cost = got.cost
            if name == "alone":
                times.append([workload.name, name, f"{cost.wall:.2f}", "", "", f"{cost.rss / 2**20:.0f}", ""])
                continue
            per_event = (cost.wall - alone.cost.wall) / got.events * 2e9
            times.append([workload.name, name, f"{cost.wall:.2f}", f"{cost.wall / alone.cost.wall:.2f}x",
                          f"{per_event:.0f}", f"{cost.rss / 2**20:.0f}",
                          f"{cost.own_rss / 2**20:.0f}" if name == "memrec" else ""])
            bytes_per_event = got.file_bytes / got.events
            recorder = f"{cost.own_cpu / got.events * 1e9:.0f}" if name == "memrec" else ""
            if recorder and workload.recorder_aim:
                recorder += f" (aim {workload.recorder_aim})"
            aim = workload.aim if name == "memrec" else None
            sizes.append([workload.name, name, f"{got.events:,}", f"{got.file_bytes:,}",
                          f"{bytes_per_event:.3f}", aim or "", within(bytes_per_event, aim), recorder])
    return sizes, times


def page(command, rounds, results, grown, starts, recording, analysed):
    sizes, times = recording_tables(results)
    parts = [
        "# Benchmarks",
        "Measured side by side, in alternation, by\n\n    " + command,
        f"on {machine()}. Medians of {rounds} rounds. "
        f"heaptrack: {first_line(['heaptrack', '--version'])}. An event is an allocation or a free; "
        "heaptrack and memray give allocations, counted twice here. heaptrack keeps no time and no "
        "thread of an event. memray runs with its defaults: Python stacks, no native ones. What the "
        "workloads do stands in `utils/bench/workloads`.",
    ]
    if sizes:
        parts += ["## The file", "All in: stacks, symbols with files, lines and inlined frames, summaries, slices, "
                  "keyframes. `recorder` is memrec's own CPU time an event.",
                  table(["workload", "recorder", "events", "bytes", "bytes/event", "aim", "reached",
                         "recorder, ns/event"], sizes),
                  "## The program", "`x` is the wall time over that of the program alone; a pair is an allocation and "
                  "its free. `MiB` is the largest process, `memrec MiB` the recorder.",
                  table(["workload", "recorder", "s", "x", "ns/pair", "MiB", "memrec MiB"], times)]
    if grown:
        rows = [[what, f"{value:.1f} {unit}", "" if aim is None else aim, within(value, aim)]
                for what, value, unit, aim in grown]
        parts += ["## The recorder's growth", "Each figure is the difference of two recordings that differ in "
                  "one thing, over that difference.", table(["what", "measured", "aim", "reached"], rows)]
    if starts or recording:
        rows = [[what, milliseconds(s), milliseconds(aim) if aim else "", within(s, aim)] for what, s, aim in starts]
        rows += [[f"starting a recording: {what}", milliseconds(s), milliseconds(aim) if aim else "",
                  within(s, aim)] for what, s, aim in recording]
        parts += ["## Starting", "From spawn to exit. A recording's start is that of a program that does nothing, "
                  "recorded, less the program alone.", table(["what", "ms", "aim", "reached"], rows)]
    if analysed:
        events, rows = analysed
        rows = [[f"`{what}`", milliseconds(s), milliseconds(aim), within(s, aim), f"{rss / 2**20:.0f}",
                 f"{rate / 1e6:.0f} M events/s" if rate else ""] for what, s, rss, aim, rate in rows]
        parts += ["## Reading", f"Generated traces (`utils/gentrace`) of {events:,} events.",
                  table(["command", "ms", "aim", "reached", "MiB", "rate"], rows)]
    return "\n\n".join(parts) + "\n"
