# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and measures its cost."""

import contextlib
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Side:
    """The program's processes, or the recorder's."""

    cpu: float = 0  # seconds of all processes, each to some 20 ms
    rss: int = 0  # bytes of the largest process


@dataclass
class Cost:
    """The cost of one run, in seconds and bytes."""

    wall: float
    cpu: float  # of the process and all its descendants, also those that end after it
    own_cpu: float  # of the process alone, to a clock tick (10 ms)
    rss: int  # the largest of the process and its descendants
    own_rss: int  # of the process alone
    status: int
    program: Side = None  # the processes that `records` of run() did not choose
    recorder: Side = None


class CommandFailed(Exception):
    """A command failed unexpectedly."""


def high_water(pid):
    """The peak resident bytes of a running process; 0 after its end."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def name_and_cpu(pid):
    """The name of a process, and the sum of its user and system seconds."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return name, (int(fields[11]) + int(fields[12])) / TICKS


def children(pid):
    """The living children of a process."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text(encoding="ascii").split())
        except OSError:
            pass  # the thread is gone
    return found


class Watcher(threading.Thread):
    """Watches a process and its descendants until stopped."""

    def __init__(self, pid):
        super().__init__()
        self.pid = pid
        self.done = threading.Event()
        self.seen = {}  # pid: the last (name, CPU seconds, peak bytes)

    def look(self):
        left = [self.pid]
        while left:
            pid = left.pop()
            try:
                name, cpu = name_and_cpu(pid)
            except OSError:
                continue
            peak = self.seen.get(pid, ("", 0, 0))[2]
            self.seen[pid] = (name, cpu, max(peak, high_water(pid)))
            left += children(pid)

    def run(self):
        while not self.done.wait(0.02):
            self.look()

    def sides(self, records):
        """The program and the recorder; records(name, is_first) is true for the recorder's processes."""
        program, recorder = Side(), Side()
        for pid, (name, cpu, peak) in self.seen.items():
            side = recorder if records(name, pid == self.pid) else program
            side.cpu += cpu
            side.rss = max(side.rss, peak)
        return program, recorder


def become_reaper():
    """From now on descendants whose parents have ended are this process's children (prctl(2))."""
    set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def reap(known):
    """Waits for the children that are not in `known`; returns their seconds of processor time."""
    seconds = 0
    while new := set(children(os.getpid())) - known:
        for pid in new:
            _, _, usage = os.wait4(pid, 0)
            seconds += usage.ru_utime + usage.ru_stime
    return seconds


def run(command, stdin=None, env=None, cwd=None, stdout=subprocess.DEVNULL,
        watch=True, expect=(0,), records=lambda name, is_first: False):
    """Runs `command` to its end. Raises CommandFailed for a status not in `expect`.
    `records` chooses the recorder's processes (see Watcher.sides)."""
    become_reaper()
    known = set(children(os.getpid()))
    with open(stdin or os.devnull, "rb") as source, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=stdout, stderr=errors,
                                   env=env, cwd=cwd)
        watcher = Watcher(process.pid)
        if watch:
            watcher.start()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - start
        watcher.done.set()
        if watch:
            watcher.join()
            watcher.look()  # a zombie still has its CPU times, but no memory
        own_cpu = name_and_cpu(process.pid)[1]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in expect:
            errors.seek(0)
            tail = errors.read().decode(errors="replace").strip().splitlines()[-3:]
            raise CommandFailed(f"{' '.join(map(str, command))}: status {process.returncode}: "
                                + " | ".join(tail))
    own_rss = watcher.seen.get(process.pid, ("", 0, 0))[2]
    program, recorder = watcher.sides(records)
    cpu = usage.ru_utime + usage.ru_stime + reap(known)
    return Cost(wall, cpu, own_cpu, usage.ru_maxrss * 1024, own_rss,
                process.returncode, program, recorder)


@contextlib.contextmanager
def busy_loops(count):
    """Keeps `count` processes busy meanwhile."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def spawn_seconds(command, times):
    """The median seconds from spawn to exit over `times` runs, without a shell."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
        _, status = os.waitpid(pid, 0)
        seconds.append(time.perf_counter() - start)
        if status:
            raise CommandFailed(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return statistics.median(seconds)
