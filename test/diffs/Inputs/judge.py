# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges what memdiff says of pairs of programs, by truth.ini.

    judge.py FOLDER [PAIR...] --cc=CC --cxx=CXX [--pythons=PATHS] [--times=N] [--jobs=N] [--every=N]

Builds and records both versions of each pair in FOLDER, and compares memdiff's rows with the truth:
the changed line first, with its size, and no other row beside it; of equal memory, no row at all.
The changes by stack likewise are one change in the changed function.
--pythons: interpreters with spaces between; the first runs the programs that ask for no version.
--times: how often. --every: only each Nth pair. Prints a line for each pair. The status is 0 if all pairs are right but those listed under
`wrong today` and `wrong by stack today`, and these are wrong."""

import argparse
import collections
import concurrent.futures
import configparser
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EQUAL = "no change of peak or of memory live at the end above the noise"
LISTED = ("wrong today", "wrong by stack today")
# The fields of a place, and of the totals.
FIELDS = {"peak": ("at_peak_bytes", "peak_bytes"), "leaked": ("live_bytes", "live_bytes"),
          "allocated": ("allocated_bytes", "allocated_bytes")}
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("MEMREC_", "PYTHON"))}


class NotRun(Exception):
    """The machine lacks what a pair needs."""


class Failure(Exception):
    """A program or a tool failed."""


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, errors="replace",
                          timeout=300)
    if done.returncode:
        raise Failure(f"{os.path.basename(command[0])}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


# ---- Programs ----

class Builder:
    """Makes the command of a version of a pair."""

    def __init__(self, options):
        self.compilers = {".c": options.cc, ".cpp": options.cxx}
        # lit names `false` where it finds no Python.
        self.pythons = [path for path in options.pythons.split() if path != "false"]
        self.versions = {}
        for path in self.pythons:
            version = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
            self.versions.setdefault(version, path)

    def command(self, pair, side, sources, folder):
        names = sorted(os.listdir(sources))
        if any(name.endswith(".py") for name in names):
            main = pair.get("main", f"{pair['program']}.py").split()
            script = next(name for name in main + names if name in names)
            python = self.python(pair, side)
            shutil.copytree(sources, folder, dirs_exist_ok=True)
            # As in each run but the first, no module is compiled.
            run(python[0], "-m", "compileall", "-q", folder)
            return [*python, f"{folder}/{script}"]
        return [self.build(pair, side, sources, names, folder)]

    def python(self, pair, side):
        if "python" in pair:
            version = pair["python"].split()[side == "after"]
            if version not in self.versions:
                raise NotRun(f"no Python {version}")
            return [self.versions[version], "-S"]
        if not self.pythons:
            raise NotRun("no Python")
        module = pair.get("needs")
        if not module:
            # What a site imports at start is not the program's.
            return [self.pythons[0], "-S"]
        if subprocess.run([self.pythons[0], "-c", f"import {module}"], capture_output=True).returncode:
            raise NotRun(f"no {module}")
        return [self.pythons[0]]

    def build(self, pair, side, sources, names, folder):
        sources_of = [name for name in names if os.path.splitext(name)[1] in self.compilers]
        compiler = self.compilers[os.path.splitext(sources_of[0])[1]]
        flags = pair.get("flags", "-O1").split("/")
        common = [compiler, *flags[side == "after" and len(flags) > 1].split(), "-g"]
        program, linked = f"{folder}/{pair['program']}", []
        if pair.get("libraries"):
            for name in [name for name in sources_of if name != "main.c"]:
                stem = os.path.splitext(name)[0]
                run(*common, "-fPIC", "-shared", "-o", f"{folder}/lib{stem}.so", f"{sources}/{name}")
                linked.append(f"-l{stem}")
            sources_of = ["main.c"]
            linked += [f"-L{folder}", "-Wl,-rpath,$ORIGIN"]
        run(*common, "-o", program, *[f"{sources}/{name}" for name in sources_of], *linked, "-lm", "-lpthread")
        if pair.get("stripped") == side:
            run("strip", program)
        return program


def sources_of(pair, side):
    return f"{HERE}/programs/{pair['program']}/{pair.get(side, 'before')}"


def record(builder, pair, side, out):
    folder = f"{out}/{side}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = builder.command(pair, side, sources_of(pair, side), folder)
    run("memrec", "-q", "--force", "-o", f"{out}/{side}.fb", "--", *command, cwd=folder)


# ---- Names and sizes ----

def text_of(size):
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(size) >= factor:
            return f"{size / factor:+.3g} {unit}"
    return f"{size:+} B"


def is_near(size, other):
    return abs(size - other) <= abs(other) * 0.1


def names_function(text, function):
    return bool(re.search(r"(^|[^\w])" + re.escape(function) + r"($|[^\w])", text or ""))


def last_name(function):
    """Without scopes, arguments of templates, parameters and inner functions."""
    name = re.sub(r"\[.*?\]|\(.*|(\.<(listcomp|genexpr|dictcomp|setcomp|locals)>)+", "", function or "")
    while re.search(r"<[^<>]*>", name) and "<lambda" not in name:
        name = re.sub(r"<[^<>]*>", "", name)
    return re.split(r"::|\.", name.strip())[-1]


# ---- Judgement ----

class Truth:
    def __init__(self, pair):
        self.pair = pair
        size, self.metric = pair["size"].split() if "size" in pair else ("0", "peak")
        self.size = int(size)
        self.function = pair.get("function", "")
        self.file, self.line = self.find_line() if "line" in pair else ("", 0)
        also = pair.get("also", "").split()
        self.also = [(also[0], int(also[1]))] if also else []
        self.renamed = [part.split(" to ") for part in pair.get("renamed", "").split(", ") if part]

    def find_line(self):
        """The number of the changed line, by its text."""
        file, text = self.pair["line"].split(": ", 1)
        for side in ("after", "before"):
            path = f"{sources_of(self.pair, side)}/{file}"
            if os.path.exists(path):
                with open(path) as source:
                    at = [n for n, line in enumerate(source, 1) if line.strip() == text]
                if len(at) == 1:
                    return os.path.basename(file), at[0]
        raise Failure(f"truth.ini: no line, or several lines, {self.pair['line']}")

    def is_place(self, file, line, *names):
        return (os.path.basename(file or "") == self.file and line == self.line
                or any(names_function(name, self.function) for name in names))

    def is_also(self, name, size):
        return any(names_function(name, function) and is_near(size, bytes) for function, bytes in self.also)

    def is_rename(self, old, new):
        return last_name(old) == last_name(new) or any(
            names_function(old, a) and names_function(new, b) for a, b in self.renamed)


def change_of(row, metric):
    field = FIELDS[metric][0]
    return row["after"][field] - row["before"][field]


def judge_equal(text, report):
    """What memdiff says although the memory is equal."""
    if EQUAL not in text:
        yield "verdict: " + text.splitlines()[0]
    for place in report["places"]:
        yield f"row {text_of(change_of(place, 'peak'))} {place['text']}"
    for line in text.splitlines():
        if re.match(r"\s*(Grows|Steps|Layers|Operators|Tensors)", line):
            yield "line " + line.strip()
    for finding in report["findings"]:
        yield f"finding {text_of(finding['after'][finding['metric']] - finding['before'][finding['metric']])}"


def judge_rows(truth, places):
    """How the rows differ from the truth."""
    if not places:
        yield "no row"
        return
    first, *others = [(place, change_of(place, truth.metric)) for place in places]
    place, size = first
    if not truth.is_place(place["file"], place["line"], place["name"], place["text"]):
        yield f"first row {text_of(size)} {place['text']}, not {truth.function}"
    elif not is_near(size, truth.size):
        yield f"first row {text_of(size)}, not {text_of(truth.size)}, {place['text']}"
    for place, size in others:
        if abs(size) >= abs(truth.size) * 0.1 and not truth.is_also(place["name"], size):
            yield f"row {text_of(size)} {place['text']}"


def judge_findings(truth, findings):
    """How the changes by stack differ from the truth."""
    found = False
    for finding in findings:
        size = change_of(finding, truth.metric)
        frames = [f for part in finding["largest_parts"] or [finding] for f in part["stack"]]
        is_place = (any(truth.is_place(f["file"], f["line"], f["function"]) for f in frames)
                    or finding["python_arenas"] and truth.function == "Python arenas")
        if is_place and is_near(size, truth.size):
            found = True
        elif abs(size) >= abs(truth.size) * 0.1 and not any(is_near(size, bytes) for _, bytes in truth.also):
            yield f"finding {text_of(size)} {', '.join(f['function'] or '?' for f in frames[:3])}"
    if not found:
        yield f"no finding of {text_of(truth.size)} in {truth.function}"


def judge(pair, out):
    """What is wrong with the rows, and what with the changes by stack."""
    truth = Truth(pair)
    metric = ["--metric=allocated"] if truth.metric == "allocated" else []
    compared = [*metric, f"{out}/before.fb", f"{out}/after.fb"]
    text = run("memdiff", *compared)
    report = json.loads(run("memdiff", "--format=json", *compared))
    wrong = []
    for move in report["moved_places"]:
        old, new = (move[side]["name"] or move[side]["text"] for side in ("from", "to"))
        if not truth.is_rename(old, new):
            wrong.append(f"moved from {move['from']['text']} to {move['to']['text']}")
    if not truth.size:
        return wrong + list(judge_equal(text, report)), []
    field = FIELDS[truth.metric][1]
    total = report["totals"]["after"][field] - report["totals"]["before"][field]
    expected = truth.size + sum(size for _, size in truth.also)
    if not is_near(total, expected):
        wrong.append(f"the totals differ by {text_of(total)}, not {text_of(expected)}")
    return wrong + list(judge_rows(truth, report["places"])), list(judge_findings(truth, report["findings"]))


# ---- All pairs ----

def judge_pair(builder, pair, out, times):
    """What is wrong with a pair, in any of its runs: rows, and changes by stack."""
    rows, stacks = {}, {}
    for _ in range(times):
        try:
            for side in ("before", "after"):
                record(builder, pair, side, out)
            for found, wrong in zip(judge(pair, out), (rows, stacks)):
                wrong.update(dict.fromkeys(found))
        except Failure as failure:
            rows[str(failure)] = None
    return list(rows), list(stacks)


def verdict_of(wrong, reason):
    """The verdict, and whether the test may pass."""
    if wrong:
        return f"wrong, as listed ({reason})" if reason else "WRONG", bool(reason)
    return (f"right, but listed as wrong ({reason})", False) if reason else ("right", True)


def line_of(rows, stacks, reasons):
    """The text of a pair, and whether the test may pass."""
    (text, passes), (by_stack, stacks_pass) = (verdict_of(*of) for of in zip((rows, stacks), reasons))
    if by_stack != "right":
        text += f"; by stack: {by_stack}"
    return text + "".join(f"\n    {line}" for line in rows + stacks), passes and stacks_pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("pairs", nargs="*")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--pythons", default=sys.executable)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    truth = configparser.ConfigParser(interpolation=None, delimiters=["="], comment_prefixes=["#"])
    truth.read(f"{HERE}/truth.ini")
    listed = [truth[name] for name in LISTED]
    names = (options.pairs or [name for name in truth.sections() if name not in LISTED])[:: options.every]
    builder = Builder(options)

    def judge_one(name):
        try:
            rows, stacks = judge_pair(builder, truth[name], f"{os.path.abspath(options.folder)}/{name}", options.times)
        except NotRun as why:
            return f"not run: {why}", True
        return line_of(rows, stacks, [reasons.get(name) for reasons in listed])

    count = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, (verdict, passes) in zip(names, pool.map(judge_one, names)):
            print(f"{name}: {verdict}", flush=True)
            count[verdict.split()[0].strip(",;")] += 1
            count["failed"] += not passes
    print(f"{count['right']} right, {count['wrong'] + count['WRONG']} wrong, {count['not']} not run, {count['failed']} failed")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
