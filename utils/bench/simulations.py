# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times memsim: replays of recordings, and simulations of devices."""

import json
import statistics
import subprocess

import measure
import recorders
from workloads import make_workloads

WORKLOADS = ["storm, 1 thread", "storm, 8 threads", "clang on big.cpp", "sqlite", "py_torch"]
# Requests to allocators in a second of processor time, of all allocators of a call together.
REPLAY_AIM, SIMULATE_AIM = 10e6, 20e6
REPLAYS = [["--with=glibc"], ["--with=glibc", "--with=glibc:arena_max=1"]]
# Events of the trace in a second of processor time: a simulation reads all, and runs those of the device.
SIMULATIONS = [["--with=torch"], []]


def timed(command, folder, rounds):
    """(median seconds, median processor time, bytes of the largest process) of some runs."""
    costs = [measure.run(command, env=recorders.clean_environment(), cwd=folder) for _ in range(rounds)]
    return (statistics.median(cost.wall for cost in costs), statistics.median(cost.cpu for cost in costs),
            max(cost.rss for cost in costs))


def row(what, arguments, count, aim, seconds, cpu, rss):
    command = " ".join(["memsim", *arguments, "TRACE"])
    return what, command, count, seconds, cpu, count / cpu, aim, rss


def replays(tools, folder, python, tiny, rounds, say):
    """Rows of replays of the workloads, recorded by memrec."""
    memrec, trace = recorders.Memrec(tools), str(folder / "trace.fb")
    for workload in make_workloads(folder, python, tiny):
        if workload.name not in WORKLOADS or workload.missing(python):
            continue
        say(f"  {workload.name}: recorded and replayed")
        measure.run(memrec.command(workload, folder), stdin=workload.stdin,
                    env=recorders.clean_environment(), cwd=folder)
        for arguments in REPLAYS:
            command = [str(tools / "memsim"), "-q", *arguments, trace]
            answer = subprocess.run([*command, "--format=json"], check=True, stdout=subprocess.PIPE,
                                    env=recorders.clean_environment()).stdout
            count = json.loads(answer)["requests"] * len(arguments)
            yield row(workload.name, arguments, count, REPLAY_AIM, *timed(command, folder, rounds))


def devices(tools, build, folder, tiny, rounds, say):
    """Rows of simulations of a generated trace: blocks of six heaps, one of them of a device."""
    events = 200_000 if tiny else 10_000_000
    trace = folder / "devices.fb"
    say("  a generated trace with tensors: simulated")
    subprocess.run([str(build / "bin" / "memkit-gentrace"), f"--events={events}", "--stacks=100000", "--nodes=400000",
                    "--heaps=6", "-o", str(trace)], check=True)
    for arguments in SIMULATIONS:
        command = [str(tools / "memsim"), "-q", *arguments, str(trace)]
        yield row("tensors among others", arguments, events, SIMULATE_AIM, *timed(command, folder, rounds))


def simulations(build, folder, python, tiny, rounds, say):
    """[(what, command, requests or events, seconds, processor time, rate, its aim, bytes)]."""
    tools = build / "bin"
    rows = list(replays(tools, folder, python, tiny, rounds, say))
    if (tools / "memkit-gentrace").exists():
        rows += devices(tools, build, folder, tiny, rounds, say)
    return rows
