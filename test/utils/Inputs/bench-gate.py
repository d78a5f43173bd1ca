"""bench-gate.py FOLDER: what the gate of utils/bench says of made measurements."""

import sys
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])
import gate


def measured(walls, cpus):
    return SimpleNamespace(runs=[SimpleNamespace(wall=wall, cpu=cpu) for wall, cpu in zip(walls, cpus)])


class Program:
    def __init__(self, name):
        self.name = name


results = {}
results[Program("fast")] = {"alone": measured([1, 2, 1, 2], [1] * 4), "memrec": measured([1.1, 2.2, 1.1, 2.2], [1.5] * 4)}
results[Program("noisy")] = {"alone": measured([1] * 4, [1] * 4), "memrec": measured([1, 2, 1, 2], [1.4, 1.5, 1.3, 1.4])}
rows = gate.judge(results, {"fast": (1.2, 1.4), "noisy": (1.2, 1.4)})
print(gate.page(rows), end="")
print("missed: " + ", ".join(f"{row[0]}/{row[1]}" for row in rows if row[-1]))
