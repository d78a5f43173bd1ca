# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs to record, in the folder workloads/."""

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "workloads"


@dataclass(eq=False)
class Workload:
    """A command and its aims (None: no aim)."""

    name: str
    command: list
    stdin: str = None
    python: bool = False
    aim: float = None  # bytes per event
    recorder_aim: float = None  # ns of the recorder's CPU per event
    needs: list = field(default_factory=list)

    def missing(self, python):
        """The requirement of the workload that this machine lacks, or None."""
        for need in self.needs:
            if need.startswith("python:"):
                if subprocess.run([python, "-c", "import " + need[7:]],
                                  capture_output=True, check=False).returncode:
                    return need[7:]
            elif not shutil.which(need):
                return need
        return None


def build_program(folder, source):
    """Compiles one of the programs; returns the path of the executable."""
    program = folder / Path(source).stem
    subprocess.run(["g++", "-std=c++20", "-O2", "-g", str(SOURCES / source), "-o", str(program),
                    "-pthread"], check=True)
    return str(program)


def build_storm(folder):
    return build_program(folder, "storm.cpp")


def make_workloads(folder, python, tiny):
    """All workloads, ready to run. `tiny`: a few milliseconds of work each."""
    storm = build_storm(folder)
    pairs = 20_000 if tiny else 10_000_000
    rounds = {"py_pure": 1 if tiny else 40, "py_numpy": 20 if tiny else 2000,
              "py_torch": 2 if tiny else 120}
    source = SOURCES / "big.cpp"
    if tiny:
        source = folder / "small.cpp"
        source.write_text("#include <cstddef>\nint main() { return 0; }\n", encoding="ascii")
    sql = SOURCES / "sql.sql"
    if tiny:
        sql = folder / "small.sql"
        sql.write_text((SOURCES / "sql.sql").read_text(encoding="ascii").replace("400000", "4000"),
                       encoding="ascii")

    def script(name):
        return [python, str(SOURCES / (name + ".py")), str(rounds[name])]

    return [
        Workload("storm, 1 thread", [storm, "1", str(pairs)], aim=1.7, recorder_aim=60),
        Workload("storm, 8 threads", [storm, "8", str(pairs // 8)], aim=2.0),
        # The compiler itself, not the driver that starts the compiler.
        Workload("clang on big.cpp", ["clang++-19", "-fintegrated-cc1", "-std=c++20", "-O2", "-c",
                                      str(source), "-o", str(folder / "big.o")],
                 aim=1.7, needs=["clang++-19"]),
        Workload("sqlite", ["sqlite3", ":memory:"], stdin=str(sql), aim=0.25, needs=["sqlite3"]),
        Workload("py_pure", script("py_pure"), python=True),
        Workload("py_numpy", script("py_numpy"), python=True, needs=["python:numpy"]),
        Workload("py_torch", script("py_torch"), python=True, aim=2.0, needs=["python:torch"]),
    ]
