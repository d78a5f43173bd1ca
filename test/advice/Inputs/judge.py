# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a program that each advice helps, and one that it does not help, and compares what the tools advise.

    judge.py CXX FOLDER [--groups=GROUP,...] [--only=NAME,...] [--measure]

CXX is a compiler; FOLDER gets the traces. A group is host, scripts, devices (recordings of GPUs, made here) or torch.
--measure also follows the advice, three times, and compares the measurement: it must help one program and not help
the other. Prints a line for each program; the status is 0 only if all are right, and if each advice that docs/CommandGuide
lists has both programs.

Nothing here can measure an advice about a device without a GPU, except with memsim's model of PyTorch's allocator."""

import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.normpath(os.path.join(HERE, "../../.."))
# The resident memory then follows the live bytes.
TORCH = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
ADVICE = {"ADVICE": "1"}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Program:
    """A program of GROUP, and how to measure that the advice helps it (None: not here). FOLLOW are the variables that
    follow the advice. EDIT changes a line of the trace's text."""

    def __init__(self, group, name, metric=None, follow=ADVICE, edit=None):
        self.group, self.name, self.metric, self.follow, self.edit = group, name, metric, follow, edit


def host(name, metric=None, **more):
    return Program("host", name, metric, **more)


def script(name, metric="end"):
    return Program("scripts", name, metric)


def device(name, metric=None):
    return Program("devices", name, metric)


def torch(name, metric="peak"):
    return Program("torch", name, metric)


def without_parts(line):
    """A trace of a machine where the parts of resident memory cannot be read."""
    return "" if re.match(r" *\d+ (resident|resident-piece|sample-cost) ", line) else line


def of_group(line):
    """The limit is one of a control group."""
    return line.replace("limit-kind=address-space", "limit-kind=group")


TWO_ARENAS = {"MALLOC_ARENA_MAX": "2"}
# The advice as docs/CommandGuide lists it: tool, pattern of its text, the program that it helps, the one that it does not help.
PAIRS = {
    "expandable-segments": ("memstat", "expandable_segments:True", device("lengths", "model"), device("streams", "model")),
    "pinned-reuse": ("memstat", "pinned again: reuse buffers", device("driver"), device("pytorch")),
    "temporaries": ("memstat", "Reuse a buffer", host("packets", "cpu"), host("keys", "cpu")),
    "gradients-to-none": ("memstat", "set_to_none", torch("late-zero"), torch("accumulation")),
    "optimizer-state": ("memstat", "smaller state", torch("adam"), torch("small-adam")),
    "never-shrinks": ("memstat", "unbounded cache", host("tiles", "peak"), host("slots", "peak")),
    "checkpoint": ("memstat", r"torch\.utils\.checkpoint", torch("attention"), torch("one-operator")),
    "workers-copy": ("memstat", "DataLoader workers .* private pages", torch("pairs", "workers"), torch("numbers", "workers")),
    "malloc_trim(0)": ("memstat", r"malloc holds .*malloc_trim\(0\)", host("document", "end"), host("bursts", "peak")),
    "MALLOC_ARENA_MAX=2": ("memstat", "MALLOC_ARENA_MAX", host("turns", "peak", follow=TWO_ARENAS),
                           host("together", "peak", follow=TWO_ARENAS)),
    "allocators keep": ("memstat", "Suggestion: allocators keep", host("document", "end", edit=without_parts),
                        host("bursts", "peak", edit=without_parts)),
    "autograd-graph": ("memleak", "keep their autograd graph", torch("losses", "end"), torch("features", "end")),
    "boundless-cache": ("memleak", "have no bound", script("without-bound"), script("below-cache")),
    "open-files": ("memleak", "opened and not closed", script("open-files"), script("texts")),
    "threads": ("memleak", "neither joined nor detached", host("requests", "end"), host("clients", "end")),
    "container": ("memleak", "one container only grows", script("measurements"), script("filling")),
    "a limit of SIZE or more": ("memdump", "a limit of .* or more would", host("matrix", "ok"), host("header")),
    "the size of this request": ("memdump", "the size of this request", host("header", "ok"), host("matrix", "ok")),
    "more memory for the control group": ("memdump", "more memory for the control group", host("matrix", edit=of_group), host("header", edit=of_group)),
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True": ("memdump", "expandable_segments:True", device("pieces", "model"),
                                                         device("too-large", "model")),
    "torch.cuda.empty_cache()": ("memdump", "empty_cache", device("whole-segments"), device("beside-tensor")),
    "torch.cuda.set_per_process_memory_fraction": ("memdump", "memory_fraction", device("fraction"), device("full")),
    "a smaller batch": ("memdump", "a smaller batch", torch("large-batch", "ok"), torch("kept-graphs", "ok")),
    "an optimizer with a smaller state": ("memdump", "smaller state", torch("large-state", "ok"), torch("large-results")),
    "hold less in PLACE": ("memdump", "hold less in", host("frames", "ok"), host("thumbnails", "ok")),
}
# Tables with a row for each advice: page, the table's first heading.
TABLES = [("memstat", "rule"), ("memstat", "freed memory"), ("memleak", "hint"), ("memdump", "advice")]
# Headers with an enumerator for each advice of the table of the page.
ENUMS = [("Suggestions.h", "Advice", "memstat", "rule"), ("LeakHints.h", "LeakHint", "memleak", "hint")]
ARGUMENTS = {"memstat": ["-v", "--top=0"], "memleak": ["--kind=growth"], "memdump": ["--oom"]}


def listed(page, heading):
    """The first code of each row of the table below HEADING."""
    with open(f"{SOURCE}/docs/CommandGuide/{page}.md", encoding="utf-8") as file:
        table = re.search(rf"(?m)^\| {heading} \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", file.read())
    return re.findall(r"(?m)^\| `([^`]+)`", table[1]) if table else []


def enumerators(header, name):
    with open(f"{SOURCE}/include/memkit/Analysis/{header}", encoding="utf-8") as file:
        body = re.search(rf"enum class {name}[^{{]*\{{(.*?)\}};", file.read(), re.S)[1]
    names = re.findall(r"(?m)^  (\w+),", body)
    return [re.sub(r"(?<=[a-z])(?=[A-Z])", "-", n).lower() for n in names]


def missing_pairs():
    """Sentences about each advice without a pair, and each pair without an advice."""
    found = [name for page, heading in TABLES for name in listed(page, heading)]
    problems = [f"no pair of programs: {name}" for name in found if name not in PAIRS]
    problems += [f"not in docs/CommandGuide: {name}" for name in PAIRS if name not in found]
    for header, name, page, heading in ENUMS:
        problems += [f"not in docs/CommandGuide/{page}.md: {e}" for e in enumerators(header, name) if e not in listed(page, heading)]
    return problems


class Judge:
    def __init__(self, compiler, folder):
        self.folder = folder
        self.binary = os.path.join(folder, "host")
        subprocess.run([compiler, "-std=c++17", "-O1", "-g", "-pthread", "-fno-builtin-malloc", "-o", self.binary,
                        f"{HERE}/host.cpp"], check=True)

    def command(self, program):
        if program.group == "host":
            return [self.binary, program.name]
        return [sys.executable, f"{HERE}/{'train' if program.group == 'torch' else 'scripts'}.py", program.name]

    def record(self, program, key):
        """Writes the trace of a program, and returns its path."""
        trace = os.path.join(self.folder, key + ".fb")
        if program.group == "devices":
            made = trace + ".made"
            self.run([sys.executable, f"{HERE}/devices.py", program.name, made])
            is_text = program.name in ("driver", "pytorch")
            self.run(["memas", "--summarize", "-o", trace, made] if is_text else ["memimport", "-q", "-o", trace, made])
        else:
            self.run(["memrec", "-q", "--force", "-o", trace, "--", *self.command(program)])
        if program.edit:
            self.edit(trace, program.edit)
        return trace

    def edit(self, trace, edit):
        """Changes the lines of a trace's text, one at a time: the text may be large."""
        with subprocess.Popen(["memdump", "--format=asm", trace], stdout=subprocess.PIPE, text=True) as text:
            with open(trace + ".mas", "w") as file:
                file.writelines(map(edit, text.stdout))
        self.run(["memas", "-o", trace, trace + ".mas"])

    @staticmethod
    def run(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode and command[0] != "memrec":
            raise SystemExit(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def measure_once(self, program, variables):
        """Processor seconds, and what the program prints."""
        variables = {**(TORCH if program.group == "torch" else {}), **variables}
        started = subprocess.Popen(self.command(program), env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True)
        text = started.stdout.read()
        _, _, used = os.wait4(started.pid, 0)
        started.returncode = 0
        values = {m[1]: int(m[2]) for m in re.finditer(r"(?m)^(end|peak|workers) (\d+)$", text)}
        return {"cpu": used.ru_utime + used.ru_stime, "ok": "request ok" in text, **values}

    @staticmethod
    def follow(program, advice):
        """The variables that follow the advice."""
        size = re.search(r"a limit of ([\d.]+) (\w+) or more", advice)
        return {"LIMIT": str(int(float(size[1]) * UNITS[size[2]]))} if size and program.name == "matrix" else program.follow

    def helps(self, program, trace, advice):
        """Whether following the advice helps, and the measurement in words."""
        if program.metric == "model":
            return self.model_helps(trace)
        follow = self.follow(program, advice)
        pairs = [(self.measure_once(program, {}), self.measure_once(program, follow)) for _ in range(3)]
        before, after = (statistics.median(float(p[i][program.metric]) for p in pairs) for i in (0, 1))
        if program.metric == "ok":
            return after > before, f"{sum(p[0]['ok'] for p in pairs)} of 3 requests served, then {sum(p[1]['ok'] for p in pairs)}"
        if program.metric == "cpu":
            return after < 0.7 * before, f"{before:.2f} s of processor time, then {after:.2f} s"
        return (after < 0.97 * before and before - after > 2 << 20,
                f"{program.metric} {before / (1 << 20):.1f} MiB, then {after / (1 << 20):.1f} MiB")

    def model_helps(self, trace):
        """The same for expandable segments, by memsim's model of PyTorch's allocator."""
        target = json.loads(self.run(["memsim", "--format=json", trace]))["targets"][0]
        recorded, model = target["recorded"], next(a for a in target["allocators"] if a["settings"] == "expandable_segments:True")
        if recorded["failed_requests"]:
            return bool(model["served_failures"]), f"{model['served_failures']} failed requests served"
        before, after = recorded["reserved_peak_bytes"], model["reserved_peak_bytes"]
        return after < 0.97 * before, f"reserved {before / (1 << 30):.2f} GiB, then {after / (1 << 30):.2f} GiB"

    def judge(self, name, is_help, measure):
        """A line about one program of a pair, and whether all is right."""
        tool, pattern, *programs = PAIRS[name]
        program = programs[not is_help]
        # The recorder may have no processor while a program shows what is to be seen.
        for _ in range(3 if is_help and program.group == "host" else 1):
            trace = self.record(program, re.sub(r"\W+", "-", name) + ("-help" if is_help else "-silent"))
            text = self.run([tool, *ARGUMENTS[tool], trace])
            lines = [line.strip() for line in text.split("\n") if re.search(pattern, line)]
            if lines:
                break
        problems = [] if bool(lines) == is_help else [f"advised: {lines[0]}" if lines else "not advised"]
        words = "advised" if lines else "silent"
        if measure and program.metric:
            helps, measured = self.helps(program, trace, lines[0] if lines else "")
            words += "; " + measured
            if helps != is_help:
                problems.append("following it helps" if helps else "following it does not help")
        return f"{name}: {program.name}: {words}: {', '.join(problems) or 'right'}", not problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("compiler")
    parser.add_argument("folder")
    parser.add_argument("--groups", default="host,scripts,devices,torch")
    parser.add_argument("--only", default="")
    parser.add_argument("--measure", action="store_true")
    options = parser.parse_args()
    groups, only = options.groups.split(","), options.only.split(",") if options.only else list(PAIRS)
    problems = missing_pairs()
    for problem in problems:
        print(problem)
    judge = Judge(options.compiler, options.folder)
    chosen = [(name, is_help) for name in only for is_help in (True, False)
              if PAIRS[name][2 if is_help else 3].group in groups]
    # Measurements must not disturb each other.
    with concurrent.futures.ThreadPoolExecutor(1 if options.measure else 2) as pool:
        right = 0
        for line, is_right in pool.map(lambda c: judge.judge(*c, options.measure), chosen):
            print(line, flush=True)
            right += is_right
    print(f"{right} of {len(chosen)} right")
    sys.exit(right != len(chosen) or bool(problems))


main()
