# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cost of recording for a training step of PyTorch, beside memray and torch.profiler.

The program workloads/torch_step.py measures its own steps, so its start, which
`import torch` dominates, does not count."""

import json
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import recorders

PROGRAM = Path(__file__).resolve().parent / "workloads" / "torch_step.py"
STEPS = {"toy": 1000, "transformer": 12}
# The recorders, and the aims: the allowed increase of a step's time.
EVERYTHING = "memrec"
WITHOUT_MALLOC = "memrec, no host malloc events"
AIMS = {("toy", EVERYTHING): 1.15, ("transformer", EVERYTHING): 1.03, ("transformer", WITHOUT_MALLOC): 1.01}


@dataclass
class Steps:
    """The median milliseconds of a step in each round."""

    wall: list = field(default_factory=list)
    cpu: list = field(default_factory=list)


def commands(tools, python, folder):
    """{recorder: the words before and after `PROGRAM model steps`}"""
    trace = folder / "steps.fb"
    observe = f"--observe={recorders.Floor('', 'observer', folder).library}"
    ring = f"LD_PRELOAD={recorders.Floor('', 'ring', folder).library}"
    memrec = [str(Path(tools) / "memrec"), "-q", "--force", "-o", str(trace)]
    return {
        "alone": ([], []),
        "floor: observer": ([], [observe]),
        "floor: observer, ring": (["env", ring], [observe]),
        EVERYTHING: ([*memrec, "--"], []),
        WITHOUT_MALLOC: ([*memrec, "--heap=torch.*", "--"], []),
        "memrec, tensors alone": ([*memrec, "--heap=torch.*", "--torch=heaps", "--"], []),
        "memrec, no PyTorch": ([*memrec, "--torch=none", "--"], []),
        "memray": ([python, "-m", "memray", "run", "-q", "-f", "-o", str(folder / "steps.bin")], []),
        "torch.profiler": ([], ["--profiler"]),
    }


def can_run(who, python):
    return who != "memray" or not subprocess.run([python, "-c", "import memray"], capture_output=True,
                                                 check=False).returncode


def run_once(who, before, after, python, model, steps, folder):
    own = [] if who == "memray" else [python]
    command = [*before, *own, str(PROGRAM), model, str(steps), *after]
    out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder,
                         env=recorders.clean_environment())
    return json.loads(out.stdout.strip().splitlines()[-1])


def measure_steps(tools, python, folder, rounds, tiny, say):
    """{model: {recorder: Steps}}; the recorders take turns. Empty without PyTorch."""
    if subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode:
        say("  steps: left out, no torch here")
        return {}
    who = {name: pair for name, pair in commands(tools, python, folder).items() if can_run(name, python)}
    result = {}
    for model, count in STEPS.items():
        got = result[model] = {name: Steps() for name in who}
        for number in range(rounds):
            for name, (before, after) in who.items():
                say(f"  {model}: {name}, round {number + 1}")
                told = run_once(name, before, after, python, model, 5 if tiny else count, folder)
                got[name].wall.append(told["wall"][1])
                got[name].cpu.append(told["cpu"][1])
    return result


def rows(result):
    """Table cells that compare each round with the program alone in the same round."""
    for model, measured in result.items():
        alone = measured["alone"]
        for name, got in measured.items():
            slower = [mine / base for mine, base in zip(got.wall, alone.wall)]
            aim = AIMS.get((model, name))
            yield model, name, got.wall, [] if got is alone else slower, statistics.median(got.cpu), aim
