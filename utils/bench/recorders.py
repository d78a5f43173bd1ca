# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recorders (none, memrec, heaptrack, memray): how to run each, and how to count its events."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

FLOOR = Path(__file__).resolve().parent / "floor"


@dataclass
class Counted:
    """The contents of a recording."""

    file_bytes: int
    events: int  # allocations and frees


class Recorder:
    """No recorder; the base class with the defaults of the others."""

    name = "alone"

    def available(self, workload):
        return True

    def command(self, workload, folder):
        return workload.command

    def records(self, name, is_first):
        """Whether a process of the command belongs to the recorder, not to the program."""
        return False

    def count(self, folder):
        """The contents of the recording, or None without a recording."""
        return None

    def first_look(self, folder):
        """The command for a user's first answer, or None."""
        return None


class Floor(Recorder):
    """A preloaded library of the folder floor/: the least work of any recorder."""

    def __init__(self, name, source, folder):
        self.name = name
        self.library = folder / (source + ".so")
        subprocess.run(["gcc", "-O2", "-fPIC", "-shared", str(FLOOR / (source + ".c")), "-o",
                        str(self.library)], check=True)

    def command(self, workload, folder):
        return ["env", f"LD_PRELOAD={self.library}", *workload.command]


class Memrec(Recorder):
    """With options, memrec has a separate name, and records only workloads whose names
    begin with `only`."""

    def __init__(self, tools, *options, only=""):
        self.tools, self.options, self.only = Path(tools), options, only
        self.name = " ".join(["memrec", *options])

    def available(self, workload):
        return (self.tools / "memrec").exists() and workload.name.startswith(self.only)

    def command(self, workload, folder):
        return [str(self.tools / "memrec"), *self.options, "--force", "-o", str(folder / "trace.fb"),
                "--", *workload.command]

    def records(self, name, is_first):
        return is_first

    def first_look(self, folder):
        return [str(self.tools / "memleak"), str(folder / "trace.fb")]

    def count(self, folder):
        trace = folder / "trace.fb"
        text = subprocess.run([str(self.tools / "memdump"), "--summary", "--format=json", str(trace)],
                              check=True, capture_output=True).stdout
        events = json.loads(text)["events"]
        if events["lost"]:
            raise RuntimeError(f"memrec lost {events['lost']} events")
        return Counted(trace.stat().st_size, events["allocations"] + events["frees"])


class Heaptrack(Recorder):
    """heaptrack with its interpreter beside the program, as users run it."""

    name = "heaptrack"

    def available(self, workload):
        return shutil.which("heaptrack") is not None

    def command(self, workload, folder):
        for old in folder.glob("heaptrack.out*"):
            old.unlink()
        return ["heaptrack", "-o", str(folder / "heaptrack.out"), *workload.command]

    def records(self, name, is_first):
        return name in ("heaptrack_inter", "zstd", "gzip")

    def first_look(self, folder):
        return ["heaptrack_print", str(next(folder.glob("heaptrack.out*")))]

    def count(self, folder):
        # The interpreter may still be writing after the script has ended.
        file = next(folder.glob("heaptrack.out*"))
        text = subprocess.run(["heaptrack_print", "-p", "0", "-a", "0", "-T", "0", "-l", "0", str(file)],
                              check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            if line.startswith("calls to allocation functions:"):
                allocations = int(line.split(":")[1].split()[0])
                return Counted(file.stat().st_size, 2 * allocations)
        raise RuntimeError("heaptrack_print gives no count of allocations")


class Memray(Recorder):
    """memray, for Python programs. The defaults record no native stacks and no pymalloc.
    Records only workloads whose names begin with `only`."""

    def __init__(self, python, *options, only=""):
        self.python, self.options, self.only = python, options, only
        self.name = " ".join(["memray", *options])
        found = subprocess.run([python, "-c", "import memray"], capture_output=True, check=False)
        self.found = found.returncode == 0

    def available(self, workload):
        return workload.python and self.found and workload.name.startswith(self.only)

    def command(self, workload, folder):
        return [self.python, "-m", "memray", "run", "-q", "-f", *self.options, "-o", str(folder / "memray.bin"),
                *workload.command[1:]]

    def first_look(self, folder):
        return [self.python, "-m", "memray", "stats", str(folder / "memray.bin")]

    def count(self, folder):
        out = folder / "memray.json"
        subprocess.run([self.python, "-m", "memray", "stats", "--json", "-f", "-o", str(out),
                        str(folder / "memray.bin")], check=True, capture_output=True)
        stats = json.loads(out.read_text(encoding="utf-8"))
        return Counted((folder / "memray.bin").stat().st_size, 2 * stats["total_num_allocations"])


def clean_environment():
    """The environment of a run, without options of the tools."""
    return {key: value for key, value in os.environ.items() if not key.startswith("MEMREC_")}
