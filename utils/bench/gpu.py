# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cost of recording on a GPU: of a training step, and of a call of CUDA's driver.

Runs from a build, or from the folder of utils/gpu/pack; installs nothing."""

import json
import shlex
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import recorders
import report

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "utils" / "gpu"))
import cuda  # noqa: E402

WORKLOADS = Path(__file__).resolve().parent / "workloads"
MIN_ROUNDS = 5
ALONE = "not recorded"
SAMPLED = "device and PyTorch exact, host heap sampled"
EXACT = "all exact"
STEP_AIM = 0.01  # of SAMPLED
CALL_AIM_US = 1.0
MODELS = {"large": 50, "toy": 500}


class Stopped(Exception):
    """The benchmark was told to end; the rounds so far are the result."""


def stop(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


@dataclass
class Series:
    """The results of each round."""

    values: list = field(default_factory=list)

    def median(self):
        return statistics.median(self.values)


def memrec(build, folder, options):
    return [str(build / "bin" / "memrec"), "-q", "--force", "-o", str(folder / "gpu.fb"), *options, "--"]


def ways(build, folder):
    """{recorder: its words before the program's command}"""
    return {ALONE: [], SAMPLED: memrec(build, folder, ["--sample=512KiB"]), EXACT: memrec(build, folder, [])}


def last_json(command, folder, environment):
    out = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    if out.returncode:
        tail = " | ".join(out.stderr.strip().splitlines()[-3:])
        raise cuda.Missing(f"{shlex.join(map(str, command))}: status {out.returncode}: {tail}")
    return json.loads(out.stdout.strip().splitlines()[-1])


def require_recorded(build, folder, heaps):
    """Raises unless the last recording has all of the heaps: otherwise its time means nothing."""
    text = subprocess.run([str(build / "bin" / "memdump"), "--summary", "--format=json", str(folder / "gpu.fb")],
                          check=True, capture_output=True).stdout
    summary = json.loads(text)
    if summary["events"]["lost"]:
        raise cuda.Missing(f"memrec lost {summary['events']['lost']} events")
    has = {heap["name"] for heap in summary["heaps"] if heap["allocations"]}
    if not has.issuperset(heaps):
        raise cuda.Missing(f"memrec recorded nothing of {', '.join(sorted(set(heaps) - has))}")


def alternate(name, ways_of, program, pick, rounds, folder, environment, say, check):
    """{recorder: Series}; the recorders take turns. Calls check() after each recording."""
    result = {who: Series() for who in ways_of}
    try:
        for number in range(rounds):
            for who, before in ways_of.items():
                value = pick(last_json([*before, *program], folder, environment))
                say(f"  {name}: {who}, round {number + 1}: {value}")
                if before:
                    check()
                result[who].values.append(value)
    except Stopped:
        say(f"  {name}: stopped in round {number + 1}")
    return result if all(got.values for got in result.values()) else {}


def overhead(result, who):
    """(traced - baseline) / baseline, of the medians."""
    base = result[ALONE].median()
    return (result[who].median() - base) / base


def build_calls(build, folder):
    """Compiles the program that calls the driver."""
    program = folder / "cuda_calls"
    command = [cuda.compiler(), "-O2", str(WORKLOADS / "cuda_calls.c"), "-o", str(program), "-ldl"]
    for include in cuda.find_includes(build):
        command += ["-isystem", str(include)]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    if out.returncode:
        raise cuda.Missing(f"{shlex.join(command)}: {out.stderr.strip()}")
    return program


def environment_of(build, fake):
    environment = recorders.clean_environment()
    folders = [str(path) for path in cuda.library_folders(build, fake)]
    if folders:
        environment["LD_LIBRARY_PATH"] = ":".join([*folders, environment.get("LD_LIBRARY_PATH", "")]).rstrip(":")
    return environment


def has_torch(python, fake):
    code = "import torch, sys; sys.exit(not ({} or torch.cuda.is_available()))".format(fake)
    return not subprocess.run([python, "-c", code], capture_output=True, check=False).returncode


def measure_steps(build, python, folder, rounds, tiny, fake, say):
    """{model: {recorder: Series}} in ms; with fake on the CPU, as a trial. Empty without PyTorch."""
    if not has_torch(python, fake):
        say(f"  training steps left out: {python} has no PyTorch that sees a GPU")
        return {}
    heaps = ["torch.cpu"] if fake else ["torch.cuda:0", "torch.cuda:0.segments", "cuda:0.device"]
    result = {}
    for model, steps in (("toy", 20), ) if fake else MODELS.items():
        if signal.getsignal(signal.SIGTERM) == signal.SIG_IGN:
            break
        program = [python, str(WORKLOADS / "torch_step.py"), model, str(20 if tiny else steps)]
        result[model] = alternate(model, ways(build, folder), [*program, *([] if fake else ["--cuda"])],
                                  lambda told: told["wall"][1], rounds, folder, environment_of(build, fake), say,
                                  lambda: require_recorded(build, folder, heaps))
    return {model: got for model, got in result.items() if got}


def measure_calls(build, folder, rounds, tiny, fake, say):
    """{call: {recorder: Series}} in microseconds."""
    program = [str(build_calls(build, folder))]
    if tiny:
        program += ["5", "20"]
    who = {ALONE: [], "CUPTI": memrec(build, folder, ["--cuda=cupti"]),
           "interposed": memrec(build, folder, ["--cuda=interpose"])}
    told = alternate("calls of the driver", who, program, lambda told: told, rounds, folder, environment_of(build, fake), say,
                     lambda: require_recorded(build, folder, ["cuda:0.device", "cuda:0.pool"]))
    if not told:
        return {}
    return {call: {name: Series([one[call] / 1e3 for one in got.values]) for name, got in told.items()}
            for call in told[ALONE].values[0]}


def step_rows(stepped):
    for model, result in stepped.items():
        for who, got in result.items():
            part = "" if who == ALONE else f"{100 * overhead(result, who):+.2f} %"
            aim = f"{100 * STEP_AIM:.0f} %" if who == SAMPLED and model == "large" else ""
            yield [model, who, report.spread(got.values, 3), part, aim,
                   report.within(overhead(result, who), STEP_AIM) if aim else ""]


def call_rows(calls):
    for call, result in calls.items():
        base = result[ALONE].median()
        for who, got in result.items():
            added = got.median() - base
            yield [call, who, report.spread(got.values, 3), "" if who == ALONE else f"{added:.3f}",
                   "" if who == ALONE else f"{CALL_AIM_US:.0f}", "" if who == ALONE else report.within(added, CALL_AIM_US)]


def round_counts(results):
    """`5`; `4-5` when the benchmark was stopped in a round."""
    counts = {len(got.values) for result in results for got in result.values()}
    return "-".join(str(count) for count in sorted({min(counts), max(counts)})) if counts else "0"


def page(command, where, stepped, calls):
    rounds = round_counts([*stepped.values(), *calls.values()])
    parts = ["# Recording on a GPU", f"Measured by\n\n    {command}", f"on {where}; {report.machine()}. "
             f"{rounds} rounds, in which all take turns: the median and (least-most)."]
    if stepped:
        parts += ["## A training step", "Milliseconds of a step up to its end on the device "
                  "(`utils/bench/workloads/torch_step.py`), the median of a run. Added is (traced − baseline) / "
                  "baseline, of the medians of the rounds.",
                  report.table(["model", "recorded", "step, ms", "added", "aim", "reached"], step_rows(stepped))]
    if calls:
        parts += ["## A call of the driver", "Microseconds of a call, allocation and free alike "
                  "(`utils/bench/workloads/cuda_calls.c`). Added is the difference of the medians, the stack of the call in it.",
                  report.table(["call", "recorded by", "call, us", "added, us", "aim", "reached"], call_rows(calls))]
    return "\n\n".join(parts) + "\n"


def measure(options, command, folder, say):
    """Returns the page. Raises cuda.Missing without a GPU."""
    rounds = options.rounds if options.tiny else max(options.rounds, MIN_ROUNDS)
    build = cuda.find_build(options.build)
    where = ("the tests' own driver, to try the script: no GPU, steps are the CPU's, the figures say nothing"
             if options.fake else cuda.device())
    say(f"bench: {where}")
    signal.signal(signal.SIGTERM, stop)
    calls = measure_calls(build, folder, rounds, options.tiny, options.fake, say)
    stepped = measure_steps(build, options.python, folder, rounds, options.tiny, options.fake, say)
    return page(command, where, stepped, calls)
