# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures memview's page beside memray's pages and speedscope, in Chromium: the same program, the same question."""

import json
import shutil
import subprocess
from pathlib import Path

import analyses
import measure
import recorders

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ROOT / ".cache" / "npm" / "node_modules"
SPEEDSCOPE = PACKAGES / "speedscope" / "dist" / "release"


def find_memray(python):
    """How memray is run: by the Python, or with the packages of the tests; None: not here."""
    packages = ROOT / ".cache" / "memray"
    for prefix in ([], ["env", f"PYTHONPATH={packages}"]):
        command = [*prefix, python, "-m", "memray"]
        if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0:
            return command
    return None


def late_moment(tools, trace):
    """A time point late in the run of a trace, in seconds."""
    summary = subprocess.run([str(tools / "memdump"), "--summary", "--format=json", str(trace)], capture_output=True, text=True, check=True)
    return round(0.85 * json.loads(summary.stdout)["duration_ns"] / 1e9, 3)


def of_memrec(tools, trace):
    """[(question, who, kind of page.cjs, its file, command)] for a trace."""
    seconds = late_moment(tools, trace)
    out = str(trace.with_suffix(".json"))
    view = [str(tools / "memview"), "--no-open", str(trace)]
    flame = [str(tools / "memflame"), "--format=speedscope", "-o", out, str(trace)]
    return [("the peak", "memview", "memview", "#view=flame", view),
            ("the peak", "memflame, speedscope", "speedscope", out, flame),
            ("a moment", "memview", "memview", f"#view=flame&at={seconds}s", view),
            ("a moment", "memflame, speedscope", "speedscope", out, [*flame, "--metric=live", f"--at={seconds}s"])]


def of_memray(memray, recording):
    page = str(recording.with_suffix(".html"))
    command = [*memray, "flamegraph", "-f", "--no-web", "-o", page, str(recording)]
    return [("the peak", "memray", "page", page, command),
            ("a moment", "memray", "page", page, [*command[:-1], "--temporal", command[-1]])]


def record(tools, memray, python, folder, tiny):
    """The training program, recorded by memrec and by memray: [(recording, rows of of_...)]."""
    program = [str(ROOT / "docs" / "examples" / "train_leak.py"), *(["--steps", "5"] if tiny else [])]
    trace, environment = folder / "train.fb", recorders.clean_environment()
    measure.run([str(tools / "memrec"), "--force", "-o", str(trace), "--", python, *program], env=environment, cwd=folder)
    asked = of_memrec(tools, trace)
    if memray:
        measure.run([*memray, "run", "-q", "-f", "-o", str(folder / "train.bin"), *program], env=environment, cwd=folder)
        asked += of_memray(memray, folder / "train.bin")
    return asked


def show(who, kind, file, command):
    """One run of page.cjs, as its JSON."""
    words = ["node", str(HERE / "page.cjs"), str(PACKAGES), shutil.which("chromium"), str(SPEEDSCOPE), kind, file, *command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise measure.CommandFailed(f"{who}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def pages(build, folder, python, tiny, rounds, say):
    """[(recording, question, who, runs of page.cjs, runs of memview in the same rounds)]."""
    tools = build / "bin"
    if not shutil.which("node") or not shutil.which("chromium") or not SPEEDSCOPE.exists():
        say("  pages left out: no node, Chromium or speedscope here")
        return []
    recordings = {"train_leak.py": record(tools, find_memray(python), python, folder, tiny)}
    gentrace = build / "bin" / "memkit-gentrace"
    if gentrace.exists():
        paths, events = analyses.generate(gentrace, folder, tiny)
        recordings[f"{events:,} events"] = of_memrec(tools, Path(paths[0]))
    rows = []
    for recording, asked in recordings.items():
        runs = [[] for _ in asked]
        for number in range(rounds):
            say(f"  {recording}: shown, round {number + 1}")
            for (_, who, kind, file, command), got in zip(asked, runs):
                got.append(show(who, kind, file, command))
        base = {question: got for (question, who, *_), got in zip(asked, runs) if who == "memview"}
        rows += [(recording, question, who, got, base[question]) for (question, who, *_), got in zip(asked, runs)]
    return sorted(rows, key=lambda row: (list(recordings).index(row[0]), row[1] != "the peak"))
