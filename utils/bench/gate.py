# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Budgets of recording, and whether a measurement has missed one beyond its noise."""

import math
import statistics

#: Times of the recorded program to that alone, on two processors: of the clock, and of all processors.
BUDGETS = {
    "storm, 1 thread": (4.0, 5.0),
    "storm, 8 threads": (5.5, 5.0),
    "clang on big.cpp": (1.5, 1.7),
    "sqlite": (1.6, 1.7),
    "py_pure": (1.15, 1.2),
    "py_numpy": (1.3, 1.3),
    "py_torch": (1.6, 1.9),
}
#: Two-sided quantiles of Student's t at 95 %, by degrees of freedom
#: (https://www.itl.nist.gov/div898/handbook/eda/section3/eda3672.htm).
QUANTILES = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
MIN_ROUNDS = 3


def interval(before, after):
    """(mean, low, high) of the ratio of two lists, pair by pair: the mean of the logarithms."""
    logs = [math.log(b / a) for a, b in zip(before, after)]
    mean = statistics.fmean(logs)
    free = len(logs) - 1
    half = QUANTILES.get(free, 2.23) * statistics.stdev(logs) / math.sqrt(len(logs))
    return tuple(map(math.exp, (mean, mean - half, mean + half)))


def judge(results, budgets=None):
    """Rows (workload, what, ratio, low, high, budget, whether it is missed) of {Workload: {recorder: Measured}}.
    Missed: the whole interval lies above the budget."""
    rows = []
    for workload, by in results.items():
        for budget, what in zip((budgets or BUDGETS)[workload.name], ("time", "processor time")):
            field = "wall" if what == "time" else "cpu"
            alone, recorded = ([getattr(run, field) for run in by[name].runs] for name in ("alone", "memrec"))
            mean, low, high = interval(alone, recorded)
            rows.append((workload.name, what, mean, low, high, budget, low > budget))
    return rows


def page(rows):
    lines = ["| program | | ratio | 95 % | budget | |", "|---|---|---:|---|---:|---|"]
    for name, what, mean, low, high, budget, missed in rows:
        lines.append(f"| {name} | {what} | {mean:.2f}x | {low:.2f} to {high:.2f} | {budget:.2f}x | "
                     f"{'**missed**' if missed else 'kept'} |")
    return "\n".join(lines) + "\n"
