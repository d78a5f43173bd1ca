# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the results as a page."""

import platform
import statistics
import subprocess
from pathlib import Path

import steps


def first_line(command):
    try:
        out = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "not here"
    return ((out.stdout or out.stderr).strip().splitlines() or ["?"])[0]


def machine():
    """One line on the machine of the measurement."""
    model, cores = "?", 0
    for line in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("model name"):
            model, cores = line.split(":", 1)[1].strip(), cores + 1
    memory = int(Path("/proc/meminfo").read_text(encoding="ascii").split()[1]) // 2**20
    system = first_line(["sh", "-c", ". /etc/os-release && echo $PRETTY_NAME"])
    return f"{model}, {cores} virtual cores, {memory} GiB; {system}, Linux {platform.release()}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def within(value, aim):
    if aim is None:
        return ""
    return "yes" if value <= aim else "**no**"


def spread(values, digits, unit=""):
    """The median, and the range of several values."""
    values = sorted(values)
    middle = f"{statistics.median(values):.{digits}f}{unit}"
    if len(values) == 1:
        return middle
    return f"{middle} ({values[0]:.{digits}f}-{values[-1]:.{digits}f})"


def mebibytes(got, side):
    size = got.median(lambda cost: getattr(cost, side).rss)
    return f"{size / 2**20:.0f}" if size else ""


def file_rows(workload, measured):
    for name, got in measured.items():
        if not got.events:
            continue
        ours = name == "memrec"
        if "--sample" in name:
            continue
        bytes_per_event = got.file_bytes / got.events
        cpu = f"{got.median(lambda cost: cost.own_cpu) / got.events * 1e9:.0f}" if ours else ""
        if cpu and workload.recorder_aim:
            cpu += f" (aim {workload.recorder_aim})"
        aim = workload.aim if ours else None
        yield [workload.name, name, f"{got.events:,}", f"{got.file_bytes:,}", f"{bytes_per_event:.3f}",
               aim or "", within(bytes_per_event, aim), cpu]


def time_rows(workload, measured):
    """Rows that compare each run with the program alone in the same round."""

    alone = measured["alone"]
    # The floor does not count events: memrec's count is used.
    pairs = measured["memrec"].events / 2 if "memrec" in measured else 0
    for name, got in measured.items():
        slower = [run.wall / base.wall for run, base in zip(got.runs, alone.runs)]
        extra = got.median(lambda cost: cost.wall) - alone.median(lambda cost: cost.wall)
        # A sampled recording does not hold all pairs of the program.
        own_pairs = pairs if "--sample" in name else got.events / 2 or pairs
        recorder = got.median(lambda cost: cost.recorder.cpu)
        yield [workload.name, name, spread([run.wall for run in got.runs], 2),
               "" if got is alone else spread(slower, 2, "x"),
               "" if got is alone or not own_pairs else f"{extra / own_pairs * 1e9:.0f}",
               f"{got.median(lambda cost: cost.program.cpu):.2f}", f"{recorder:.2f}" if recorder else "",
               mebibytes(got, "program"), mebibytes(got, "recorder"),
               spread([1e3 * seconds for seconds in got.looks], 0) if got.looks else ""]


def together_rows(quiet, busy):
    """The processor time of program and recorder together, and the time, as multiples of the program alone."""
    workloads = {workload.name: {} for workload in [*quiet, *busy]}
    for where, results in (("quiet", quiet), ("busy", busy)):
        for workload, measured in results.items():
            for name, got in measured.items():
                workloads[workload.name].setdefault(name, {})[where] = (got, measured["alone"])
    for workload, by in workloads.items():
        for name, where in by.items():
            if name == "alone" or name.startswith("floor"):
                continue
            cells = []
            for key in ("quiet", "busy"):
                for what in ("cpu", "wall"):
                    got, alone = where.get(key, (None, None))
                    cells.append(spread([getattr(run, what) / getattr(base, what)
                                         for run, base in zip(got.runs, alone.runs)], 2, "x") if got else "")
            yield [workload, name, *cells]


def recording_tables(results):
    """`results`: {workload: {recorder: Measured}}, with 'alone' in each."""
    return [[row for workload, measured in results.items() for row in rows(workload, measured)]
            for rows in (file_rows, time_rows)]


def step_rows(stepped):
    for model, who, wall, slower, cpu, aim in steps.rows(stepped):
        yield [model, who, spread(wall, 2), spread(slower, 2, "x") if slower else "", f"{cpu:.2f}",
               aim or "", within(statistics.median(slower), aim) if slower else ""]


PAGES_TEXT = (
    "Each row is the way to a flame graph in Chromium, which runs already: of the peak, or of a moment\n"
    "late in the run. memview serves the trace; memflame writes a file that speedscope's page shows; memray writes a\n"
    "page (`flamegraph --no-web`, for a moment `--temporal`). memray reads only its own recordings, here of the\n"
    "same program, and records no frames of C++; `--no-web` puts the libraries into the page, which\n"
    "works without a network, as memview does.\n\n"
    "- `command` ends with memview's address, or with the written file; `picture` ends with the drawn graph.\n"
    "- `x` is the time to the picture divided by memview's in the same round.\n"
    "- `loaded` is what the tab has loaded, `heap` the heap of JavaScript, `tab` the process of the tab (PSS).")


def page_rows(shown):
    for recording, question, who, runs, base in shown:
        def middle(key, scale=1, of=runs):
            return statistics.median(run[key] for run in of) / scale
        slower = [run["seconds"] / one["seconds"] for run, one in zip(runs, base)]
        yield [recording, question, who, f"{middle('command'):.2f}", spread([run["seconds"] for run in runs], 2),
               "" if runs is base else spread(slower, 2, "x"), f"{middle('loaded', 2**20):.1f}",
               f"{middle('heap', 2**20):.0f}", f"{middle('process', 2**20):.0f}"]


def import_rows(imported):
    for name, size, events, ours, reader, theirs in imported:
        def cells(costs, size=size):
            if not costs:
                return ["", "", ""]
            seconds = statistics.median(cost.wall for cost in costs)
            return [spread([cost.wall for cost in costs], 2), f"{size / 1e6 / seconds:.0f}",
                    f"{max(cost.rss for cost in costs) / 2**20:.0f}"]
        yield [name, f"{size / 1e6:.0f}", f"{events:,}", *cells(ours), reader, *cells(theirs)]


TOGETHER_TEXT = (
    "Where no processor is free, the work of the recorder takes time from the program. `CPU` is the processor time of\n"
    "all processes, program and recorder, short ones too, divided by that of the program alone in the same round; `time` is\n"
    "the wall time likewise. `busy`: beside a busy loop on each processor.")


def page(command, rounds, results, busy, stepped, grown, starts, recording, analysed, read, shown=(), imported=(), simulated=()):
    sizes, times = recording_tables(results)
    parts = [
        "# Benchmarks",
        "Compare here the cost of memrec with heaptrack and memray: file size, time and memory of the\n"
        "program, and time of the tools. The measurements ran side by side, in alternation, by\n\n    " + command,
        f"on {machine()}. The\nfigures are medians of {rounds} rounds. "
        f"heaptrack is {first_line(['heaptrack', '--version'])}. An event is\nan allocation or a free. "
        "heaptrack and memray report allocations, and each allocation counts as two\nevents here. "
        "heaptrack keeps no time and no thread of an event. memray runs with its defaults: with\n"
        "Python stacks, without native stacks. `utils/bench/workloads` has the workloads.",
    ]
    if sizes:
        parts += ["## The file", "The file includes stacks, symbols with files, lines and inlined frames, "
                  "summaries, intervals and\nsnapshots. `recorder` is memrec's own CPU time an event.",
                  table(["workload", "recorder", "events", "bytes", "bytes/event", "aim", "reached",
                         "recorder, ns/event"], sizes),
                  "## The program", "Times are seconds: the median and (least-most) of the rounds.",
                  "- `x` is the wall time divided by the wall time of the program alone in the same round.\n"
                  "- A pair is an allocation and its free.\n"
                  "- The CPU time and the peak MiB of the largest process are sampled every 20 ms, for the program\n"
                  "  (including the recorder's work inside the program) and for the recorder's processes.\n"
                  "- `first answer` is the time of memleak, heaptrack_print or `memray stats` on the recording.\n"
                  "- The floor is the least work of a recorder: a preloaded library that only counts, and a "
                  "preloaded\n  library that writes 32 bytes an event into a ring without a reader, both without "
                  "stacks\n  (`utils/bench/floor`).",
                  table(["workload", "recorder", "wall", "x", "ns/pair", "CPU program", "CPU recorder",
                         "MiB program", "MiB recorder", "first answer, ms"], times)]
    if results or busy:
        parts += ["## Program and recorder together", TOGETHER_TEXT,
                  table(["workload", "recorder", "CPU, quiet", "time, quiet", "CPU, busy", "time, busy"],
                        together_rows(results, busy))]
    if stepped:
        parts += ["## A step of PyTorch", "The table has milliseconds of a training step "
                  "(`utils/bench/workloads/torch_step.py`). Each run\ngives its median step; the table has the "
                  "median and (least-most) of the runs of all rounds. `CPU` is\nthe program's own CPU time. "
                  "`torch.profiler` runs with profile_memory and with_stack.",
                  table(["model", "recorder", "step, ms", "x", "CPU, ms", "aim", "reached"], step_rows(stepped))]
    if grown:
        rows = [[what, f"{value:.1f} {unit}", "" if aim is None else aim, within(value, aim)]
                for what, value, unit, aim in grown]
        parts += ["## The recorder's growth", "Each figure comes from two recordings that differ in one quantity: "
                  "the difference of the results,\ndivided by the difference of the quantity.",
                  table(["what", "measured", "aim", "reached"], rows)]
    if starts or recording:
        rows = [[what, milliseconds(s), milliseconds(aim) if aim else "", within(s, aim)] for what, s, aim in starts]
        rows += [[f"starting a recording: {what}", milliseconds(s), milliseconds(aim) if aim else "",
                  within(s, aim)] for what, s, aim in recording]
        parts += ["## Starting", "The time is from spawn to exit. The start of a recording is the time of a recorded "
                  "program that does\nnothing, minus the time of the program alone.",
                  table(["what", "ms", "aim", "reached"], rows)]
    if analysed:
        events, rows = analysed
        rows = [[f"`{what}`", milliseconds(s), milliseconds(aim) if aim else "", within(s, aim), f"{rss / 2**20:.0f}",
                 f"{rate / 1e6:.0f} M events/s" if rate else ""] for what, s, rss, aim, rate in rows]
        parts += ["## Reading", f"The tools read generated traces (`utils/gentrace`) of {events:,} events.",
                  table(["command", "ms", "aim", "reached", "MiB", "rate"], rows)]
    if read:
        rows = [[workload, question, who, f"`{command}`", f"{events:,}", milliseconds(s), f"{rss / 2**20:.0f}"]
                for workload, events, question, who, command, s, rss in read]
        parts += ["## Reading, beside others", "Each recorder recorded the same program, and each recorder's own "
                  "tool read the recording. The\nrecordings differ in content: memray records allocations of "
                  "Python programs with Python stacks only.\nheaptrack has no flame graph without its graphical "
                  "program. memray's collapsed stacks are in the\nform of gprof2dot, and memray compares no "
                  "recordings.",
                  table(["workload", "question", "recorder", "command", "events", "ms", "MiB"], rows)]
    if simulated:
        rows = [[what, f"`{command}`", f"{count:,}", f"{seconds:.2f}", f"{cpu:.2f}", f"{rate / 1e6:.1f}", f"{aim / 1e6:.0f}",
                 within(aim, rate), f"{rss / 2**20:.0f}"]
                for what, command, count, seconds, cpu, rate, aim, rss in simulated]
        parts += ["## Simulations", "memsim replays the requests of recorded programs, and simulates the device of a "
                  "generated trace.\nA request counts once for each allocator that serves it. Of the generated trace "
                  "all events count: a\nsimulation reads them, and a sixth are of tensors on the device. `CPU` is the processor time of memsim\nand its replays; the rate is of processor time, because other load changes it less.",
                  table(["recording", "command", "requests or events", "s", "CPU, s", "M/s of CPU", "aim", "reached",
                         "MiB"], rows)]
    if imported:
        parts += ["## Other tools' recordings", "memimport reads a recording, and writes the complete trace. Beside it "
                  "the tool's own reader prints\nthe totals of the same recording, which writes nothing.",
                  table(["format", "MB", "events", "memimport, s", "MB/s", "MiB", "own reader", "s", "MB/s", "MiB"],
                        import_rows(imported))]
    if shown:
        parts += ["## Pages", PAGES_TEXT,
                  table(["recording", "question", "page", "command, s", "picture, s", "x", "loaded, MiB", "heap, MiB", "tab, MiB"],
                        page_rows(shown))]
    return "\n\n".join(parts) + "\n"
