# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the readers that each recorder offers, on recordings of one program."""

import statistics

import measure
import recorders
from workloads import make_workloads

WORKLOADS = ["storm, 8 threads", "clang on big.cpp", "sqlite", "py_pure"]
QUESTIONS = ["one page", "leaks", "flame graph of the peak", "stacks of the peak, collapsed",
             "a recording against itself"]


def of_memrec(tools, folder):
    """[(question, command)] of memkit's tools."""
    trace = str(folder / "trace.fb")
    asked = [
        ("one page", ["memstat", trace]),
        ("leaks", ["memleak", trace]),
        ("flame graph of the peak", ["memflame", trace, "-o", str(folder / "ours.speedscope.json")]),
        ("stacks of the peak, collapsed", ["memflame", "--format=collapsed", trace, "-o",
                                           str(folder / "ours.txt")]),
        ("a recording against itself", ["memdiff", trace, trace]),
    ]
    return [(question, [str(tools / command[0]), *command[1:]]) for question, command in asked
            if (tools / command[0]).exists()]


def of_heaptrack(folder):
    file = str(next(folder.glob("heaptrack.out*")))
    nothing = ["-p", "0", "-a", "0", "-T", "0"]
    return [
        ("one page", ["heaptrack_print", file]),
        ("leaks", ["heaptrack_print", *nothing, "-l", "1", file]),
        ("stacks of the peak, collapsed", ["heaptrack_print", *nothing, "--flamegraph-cost-type", "peak", "-F",
                                           str(folder / "heaptrack.txt"), file]),
        ("a recording against itself", ["heaptrack_print", "-d", file, file]),
    ]


def of_memray(python, folder):
    file = str(folder / "memray.bin")

    def memray(*words):
        return [python, "-m", "memray", *words]

    page = str(folder / "memray.html")
    return [
        ("one page", memray("stats", file)),
        ("leaks", memray("table", "-f", "--leaks", "-o", page, file)),
        ("flame graph of the peak", memray("flamegraph", "-f", "-o", page, file)),
        ("stacks of the peak, collapsed", memray("transform", "gprof2dot", "-f", "-o",
                                                 str(folder / "memray.json"), file)),
    ]


def readers(tools, folder, python, tiny, rounds, say):
    """[(workload, events of the recording, question, recorder, command, seconds, bytes)]. The
    readers of a question take turns."""
    who = [(recorders.Memrec(tools), lambda: of_memrec(tools, folder)),
           (recorders.Heaptrack(), lambda: of_heaptrack(folder)),
           (recorders.Memray(python), lambda: of_memray(python, folder))]
    rows = []
    for workload in make_workloads(folder, python, tiny):
        if workload.name not in WORKLOADS or workload.missing(python):
            continue
        asked = []
        for recorder, commands in who:
            if not recorder.available(workload):
                continue
            say(f"  {workload.name}: recorded by {recorder.name}")
            measure.run(recorder.command(workload, folder), stdin=workload.stdin,
                        env=recorders.clean_environment(), cwd=folder)
            events = recorder.count(folder).events  # waits for heaptrack's interpreter, too
            asked += [(question, recorder.name, command, events) for question, command in commands()]
        costs = [[] for _ in asked]
        for number in range(rounds):
            say(f"  {workload.name}: read, round {number + 1}")
            for (_, _, command, _), cost in zip(asked, costs):
                cost.append(measure.run(command, cwd=folder))
        for (question, name, command, events), cost in zip(asked, costs):
            rows.append((workload.name, events, question, name, shown(command),
                         statistics.median(run.wall for run in cost), max(run.own_rss or run.rss for run in cost)))
    return sorted(rows, key=lambda row: (WORKLOADS.index(row[0]), QUESTIONS.index(row[2])))


def shown(command):
    """A command without folders; a command of Python's -m also without the interpreter."""
    words = command[2:] if command[1:2] == ["-m"] else command
    return " ".join(word.rpartition("/")[2] for word in words)
