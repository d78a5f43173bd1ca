# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the start-up of the tools, the start of a recording, and analyses of large traces."""

import shutil
import statistics
import subprocess

import measure

TOOLS = ["memrec", "memdump", "memas", "memstat", "memleak", "memdiff", "memflame"]
VERSION_AIM = 0.003
START_AIM = 0.050


def startup(tools, times):
    """[(what, seconds, aim)] for --version of each tool and for the start of a recording."""
    rows = []
    for name in TOOLS:
        tool = tools / name
        if tool.exists():
            rows.append((f"`{name} --version`", measure.spawn_seconds([str(tool), "--version"], times),
                         VERSION_AIM))
    return rows


def recording_start(tools, folder, python, times):
    """[(recorder, seconds, aim)]: the recording of an empty program, less the program's time."""
    rows = []
    true = shutil.which("true")
    floor = measure.spawn_seconds([true], times)
    memrec, heaptrack = tools / "memrec", shutil.which("heaptrack")
    if memrec.exists():
        command = [str(memrec), "--force", "-o", str(folder / "true.fb"), "--", true]
        rows.append(("memrec", measure.spawn_seconds(command, times) - floor, START_AIM))
    if heaptrack:
        command = [heaptrack, "-o", str(folder / "true.heaptrack"), true]
        rows.append(("heaptrack", measure.spawn_seconds(command, max(3, times // 10)) - floor, None))
    if subprocess.run([python, "-c", "import memray"], capture_output=True, check=False).returncode == 0:
        floor = measure.spawn_seconds([python, "-c", "pass"], max(3, times // 10))
        command = [python, "-m", "memray", "run", "-q", "-f", "-o", str(folder / "true.memray"), "-c", "pass"]
        rows.append(("memray", measure.spawn_seconds(command, max(3, times // 10)) - floor, None))
    return rows


def generate(gentrace, folder, tiny):
    """Two large traces that differ by their seed. Returns (paths, events in each)."""
    events, stacks, nodes, heaps = (200_000, 2_000, 8_000, 5) if tiny else \
        (50_000_000, 500_000, 2_000_000, 50)
    paths = []
    for seed in (1, 2):
        path = folder / f"large-{seed}.fb"
        subprocess.run([str(gentrace), f"--seed={seed}", f"--events={events}", f"--stacks={stacks}",
                        f"--nodes={nodes}", f"--heaps={heaps}", "-o", str(path)], check=True)
        paths.append(str(path))
    return paths, events


def analyses(tools, paths, events, folder, rounds):
    """[(command, seconds, MiB, aim in seconds, events per second or None)]."""
    first, second = paths
    cases = [
        (["memstat", first], 0.2),
        (["memleak", "--kind=exit", first], 0.2),
        (["memleak", "--kind=growth", first], 1),
        (["memleak", first], None),
        (["memflame", first, "-o", str(folder / "large.speedscope.json")], 0.2),
        (["memflame", "--at=6s", first, "-o", str(folder / "large.speedscope.json")], 0.3),
        (["memdiff", first, second], 0.2),
        (["memdump", "--summary", first], 0.05),
        (["memdump", "--check", first], events / 40e6),
    ]
    rows = []
    for command, aim in cases:
        if not (tools / command[0]).exists():
            continue
        costs = [measure.run([str(tools / command[0]), *command[1:]], cwd=folder)
                 for _ in range(rounds)]
        seconds = statistics.median(cost.wall for cost in costs)
        rate = events / seconds if "--check" in command else None
        shown = " ".join(part.rpartition("/")[2] for part in command)
        rows.append((shown, seconds, max(cost.own_rss or cost.rss for cost in costs), aim, rate))
    return rows
