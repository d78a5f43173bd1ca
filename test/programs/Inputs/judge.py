# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records real programs with and without a planted leak, and compares what memleak says of
their growth.

    judge.py PROGRAM CXX [--times=N] [--way=WAY,...] [--mode=MODE,...] [--tools=DIR] [--keep=DIR]

PROGRAM is one of services.py and batch.py, several with commas between, or `services`, `batch` or
`all`; CXX is a compiler. A way is how a run ends or is looked at:

    exit    told to stop, or by itself: N times (1)
    live    memleak looks while it runs: N times, in the runs of `exit` if both are asked for
    killed  by SIGKILL: once
    busy    as exit, beside two busy loops: once

--tools are memrec's and memleak's; --keep copies each trace there as PROGRAM-MODE-WAY-N.fb.

Prints a line for each run and a table; the status is 0 only if all are right. A clean run has no
finding with the verdict `leak`. A leak has one with its culprit in the stack, and none elsewhere;
a program that keeps most of what it allocates has one or `grows`.
A server must have answered MIN_REQUESTS, memleak must have measured a service, and a batch program
must have succeeded."""

import argparse
import collections
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from batch import BATCH
from program import Service
from services import SERVICES

PROGRAMS = {**SERVICES, **BATCH}
GROUPS = {"services": list(SERVICES), "batch": list(BATCH), "all": list(PROGRAMS)}
WAYS = ("exit", "live", "killed", "busy")
MIN_REQUESTS = 300
MIN_INTERVALS = 20


class Failure(Exception):
    """A run that says nothing."""


def growth_of(trace):
    """The growth findings of the trace, and in how many intervals memleak measured most."""
    said = subprocess.run(["memleak", "--kind=growth", "--top=0", "--format=json", trace],
                          capture_output=True, text=True)
    if said.returncode:
        raise Failure(f"memleak: status {said.returncode}: {said.stderr.strip()}")
    report = json.loads(said.stdout)
    return report["findings"], max((span["points"] for span in report["growth"]["measured"]), default=0)


def verdicts_of(program, findings):
    """How many findings have which verdict, and, in a program that leaks, at which place."""
    seen = collections.Counter()
    for finding in findings:
        verdict = finding.get("verdict", "leak")
        seen[verdict if program.mode == "clean" else f"{verdict} ({program.place_of(finding)})"] += 1
    return seen


def is_right(program, seen):
    if program.mode == "clean":
        return not seen["leak"]
    at_culprit = seen["leak (culprit)"]
    if program.mode in program.loading_modes:
        at_culprit += seen["grows (culprit)"]
    return at_culprit > 0 and not seen["leak (elsewhere)"]


def processes_below(parent):
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True).stdout.split()
    return [process for child in map(int, found) for process in [child] + processes_below(child)]


def wait_for(recorder, seconds):
    try:
        return recorder.wait(seconds)
    except subprocess.TimeoutExpired:
        raise Failure(f"not ended within {seconds} s") from None


def stop_program(recorder, signal_number):
    """Stops what memrec records, by SIGKILL each process of it; memrec writes the trace's end
    and follows."""
    program, *workers = processes_below(recorder.pid) or [None]
    if not program:
        raise Failure("it has ended")
    for process in [program] + (workers if signal_number == signal.SIGKILL else []):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal_number)
    wait_for(recorder, 60)


@contextlib.contextmanager
def busy_loops(count):
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


class Judge:
    def __init__(self, options, inputs):
        self.options, self.inputs = options, inputs
        self.rows = collections.defaultdict(list)  # (program, mode, way): (is right, verdicts)

    def look(self, name, program, way, trace, problem=""):
        """Judges the trace as it is now; `problem` is why the run is no good in any case."""
        findings, intervals = growth_of(trace)
        seen = verdicts_of(program, findings)
        rows = self.rows[name, program.mode, way]
        if isinstance(program, Service) and intervals < MIN_INTERVALS:
            problem = problem or "not measured"
        good = not problem and is_right(program, seen)
        rows.append((good, seen))
        requests = f"{program.requests} requests, " if getattr(program, "is_server", False) else ""
        said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(seen.items())) or "nothing grows"
        print(f"{name} {program.mode}, {way}: {requests}{intervals} intervals, {said}: "
              f"{'right' if good else 'WRONG'}{': ' + problem if problem else ''}", flush=True)
        if self.options.keep:
            shutil.copyfile(trace, os.path.join(self.options.keep, f"{name}-{program.mode}-{way}-{len(rows)}.fb"))
        if not good:
            subprocess.run(["memleak", "--kind=growth", "--top=3", trace])

    def run(self, name, mode, ways):
        # Not below TMPDIR: lit's is closed to other users, as postgres is.
        folder = tempfile.mkdtemp(prefix="memkit-programs-", dir="/tmp")
        os.chmod(folder, 0o755)
        trace = os.path.join(folder, "trace.fb")
        recorder = None
        try:
            program = PROGRAMS[name](mode, folder, self.inputs, self.options.cxx)
            program.prepare()
            command = program.prefix() + ["memrec", "-q", "-o", trace, "--"] + program.command()
            with busy_loops(2 if "busy" in ways else 0):
                recorder = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                            start_new_session=True)
                if isinstance(program, Service):
                    self.serve(name, program, recorder, trace, ways)
                else:
                    status = wait_for(recorder, 300)
                    self.look(name, program, ways[0], trace, f"status {status}" if status else "")
        except Failure as failure:
            print(f"{name} {mode}, {', '.join(ways)}: WRONG: {failure}", flush=True)
            self.rows[name, mode, ways[-1]].append((False, collections.Counter({"failed": 1})))
        finally:
            if recorder:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(recorder.pid, signal.SIGKILL)  # its session, where it still runs
            shutil.rmtree(folder, ignore_errors=True)

    def serve(self, name, program, recorder, trace, ways):
        stop = threading.Event()
        load = threading.Thread(target=program.load, args=[stop])
        load.daemon = True
        load.start()
        for _ in range(1200):
            if program.is_ready() or recorder.poll() is not None:
                break
            time.sleep(0.1)
        time.sleep(program.load_seconds)
        problem = ""
        if program.is_server and program.requests < MIN_REQUESTS:
            problem = "too few requests"
        if "live" in ways:
            self.look(name, program, "live", trace, problem)
        # The load goes on: what a program has stopped doing is no growth to its end.
        stop_program(recorder, signal.SIGKILL if "killed" in ways else program.stop_signal)
        stop.set()
        load.join(20)
        for way in ways:
            if way != "live":
                self.look(name, program, way, trace, problem)

    def judge(self, name):
        kind = PROGRAMS[name]
        if kind.missing():
            print(f"{name}: this machine has no {' and no '.join(kind.missing())}")
            return
        ways = [way for way in WAYS if way in kind.ways and way in self.options.way]
        often = [way for way in ways if way in ("exit", "live")]
        for mode in kind.modes:
            if self.options.mode and mode not in self.options.mode:
                continue
            for together in [often] * self.options.times + [["killed"], ["busy"]]:
                together = [way for way in together if way in ways]
                if together:
                    self.run(name, mode, together)

    def print_table(self):
        print(f"\n{'program':12}{'mode':12}{'way':8}{'runs':>5}{'right':>6}{'wrong':>6}  verdicts")
        for (name, mode, way), runs in self.rows.items():
            right, seen = sum(good for good, _ in runs), sum((verdicts for _, verdicts in runs), collections.Counter())
            said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(seen.items()))
            print(f"{name:12}{mode:12}{way:8}{len(runs):5}{right:6}{len(runs) - right:6}  {said}")
        good = [good for runs in self.rows.values() for good, _ in runs]
        print(f"{sum(good)} of {len(good)} right")
        return bool(good) and all(good)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("cxx")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--way", default=",".join(WAYS), type=lambda text: text.split(","))
    parser.add_argument("--mode", type=lambda text: text.split(","))
    parser.add_argument("--tools")
    parser.add_argument("--keep")
    options = parser.parse_args()
    names = [name for word in options.program.split(",") for name in GROUPS.get(word, [word])]
    for wrong in [name for name in names if name not in PROGRAMS] + [way for way in options.way if way not in WAYS]:
        parser.error(f"unknown: {wrong}")
    if options.tools:
        os.environ["PATH"] = os.path.abspath(options.tools) + os.pathsep + os.environ["PATH"]
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="memkit-inputs-", dir="/tmp") as inputs:
        os.chmod(inputs, 0o755)
        judge = Judge(options, inputs)
        for name in names:
            judge.judge(name)
    sys.exit(0 if judge.print_table() else 1)


main()
