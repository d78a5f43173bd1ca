# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and says what it cost."""

import os
import pathlib
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """What one run took. Seconds and bytes."""

    wall: float
    cpu: float  # of the process and all its descendants
    own_cpu: float  # of the process alone, to a clock tick (10 ms)
    rss: int  # the largest of the process and its descendants
    own_rss: int  # of the process alone
    status: int


class CommandFailed(Exception):
    """A command that had to succeed did not."""


def high_water(pid):
    """The peak resident bytes of a living process, 0 when it is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def zombie_cpu(pid):
    """User and system seconds of a process that ended and was not waited for."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def watch_memory(pid, done, result):
    while not done.wait(0.02):
        result[0] = max(result[0], high_water(pid))


def run(command, stdin=None, env=None, cwd=None, stdout=subprocess.DEVNULL,
        watch=True, expect=(0,)):
    """Runs `command` to its end. Raises CommandFailed for a status not in `expect`."""
    memory, done = [0], threading.Event()
    with open(stdin or os.devnull, "rb") as source, \
            open(os.path.join(cwd or ".", ".bench-stderr"), "w+b") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=stdout, stderr=errors,
                                   env=env, cwd=cwd)
        watcher = None
        if watch:
            watcher = threading.Thread(target=watch_memory, args=(process.pid, done, memory))
            watcher.start()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - start
        own_cpu = zombie_cpu(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        done.set()
        if watcher:
            watcher.join()
        if process.returncode not in expect:
            errors.seek(0)
            tail = errors.read().decode(errors="replace").strip().splitlines()[-3:]
            raise CommandFailed(f"{' '.join(map(str, command))}: status {process.returncode}: "
                                + " | ".join(tail))
    return Cost(wall, usage.ru_utime + usage.ru_stime, own_cpu, usage.ru_maxrss * 1024,
                memory[0], process.returncode)


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
