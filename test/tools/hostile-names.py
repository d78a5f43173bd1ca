# Names in a trace come from anyone: from the recorded program, its files, its arguments. Whatever
# they hold, no tool writes a control character to a terminal, in any format for people or for pipes
# of text, nor a mark that changes the direction of text. JSON escapes them.
#
# RUN: %python %s %S %src_root %t
#
# All names of several traces get a tail of such characters: each tool is then run with each of the
# formats of its help, and with each section that it can show, so that a new one is tried, too.

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

here, source, work = sys.argv[1:]
os.makedirs(work, exist_ok=True)

# Title and clipboard of a terminal; a line of its own; CSI in 8 bits, as UTF-8 and as a byte; the
# direction; a line separator; a formula and quotes of other formats; ordinary text, which stays.
TAIL = r'\x1b]0;PWN\x07\n\xc2\x9b31m\x9b1m\xe2\x80\xae\xe2\x80\xa8\xd8\x9c`|<b>&\x0d\x7f' + "é漢"
TRACES = ["memtop/Inputs/service.mas", "memas/Inputs/example.mas", "memleak/growth.mas", "memdump/map.mas",
          "memflame/group-by.mas", "memflame/firefox.mas", "memdump/spaces.mas", "memleak/outliers.mas"]
# Not text: a terminal is not where they are shown.
BINARY = {"parquet", "arrow", "torch-snapshot", "pprof", "perfetto", "firefox", "trace"}
INPUTS = {"memdiff": 2}
BAD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


# Not in every build.
KIT = ["memkit"] if shutil.which("memkit") else []
HOSTILE = "\x1b]0;PWN\x07\u009b\nmemstat: error: all is well"


def run(command, **more):
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, **more)


def hostile(name):
    """A trace whose quoted texts all have the tail. Nothing that tools read back is quoted alone."""
    plain = os.path.join(work, "plain.fb")
    run(["memas", "--summarize", os.path.join(here, name), "-o", plain], check=True)
    text = run(["memdump", "--format=asm", plain], check=True).stdout.decode()
    text = re.sub(r'"((?:[^"\\]|\\.)+)"', lambda m: '"' + m.group(1) + TAIL + '"', text)
    # An unquoted name of a frame: FUNCTION@FILE:LINE.
    path = os.path.join(work, os.path.basename(name) + ".hostile.mas")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    made = run(["memas", path, "-o", path + ".fb"])
    assert not made.returncode, made.stderr.decode(errors="replace")
    # A file's name is a name, too.
    odd = os.path.join(work, os.path.basename(name) + "\x1b]0;PWN\x07\u009b.fb")
    os.replace(path + ".fb", odd)
    return odd


def values_of(tool, option):
    """The values of an option, from the tool's help."""
    said = run([tool, "--help"]).stdout.decode()
    block = re.search(rf"^ +--{option}=<.*?>(.*?)(?=^ +-[-\w]|^\S|\Z)", said, re.M | re.S)
    return re.findall(r"^ {4,}([a-z][-a-z]*)  ", block.group(1), re.M) if block else []


def sections():
    said = run(["memstat", "--show=none-such", os.path.join(work, "plain.fb")]).stderr.decode()
    return re.findall(r"[a-z][-a-z]+", said.split(":")[-1])


def commands(trace):
    for tool in "memstat", "memleak", "memdiff", "memflame", "memdump", "memtop", "memsim":
        paths = [trace] * INPUTS.get(tool, 1)
        once = ["--once", "--size=160x60"] if tool == "memtop" else []
        formats = [f for f in values_of(tool, "format") if f not in BINARY]
        assert "json" in formats or tool == "memflame", (tool, formats)
        for chosen in formats:
            yield [tool, f"--format={chosen}", *once, *paths]
        yield [tool, "-v", *once, *paths] if tool in ("memstat", "memleak", "memdiff", "memsim") else [tool, *once, *paths]
    for section in sections():
        yield ["memstat", f"--show={section}", trace]
        yield ["memstat", f"--show={section}", "--format=markdown", trace]
    for chosen in "text", "svg", "csv":
        yield ["memstat", "--timeline", f"--format={chosen}", trace]
    for option in "--summary", "--scopes", "--layers", "--operators", "--steps", "--categories", "--programs", "--map", "--holders", "--check":
        yield ["memdump", option, trace]
        yield ["memdump", option, "--format=csv", trace]
        yield ["memdump", option, "--format=json", trace]
    for group in "line", "stack", "library", "heap", "process", "rank", "thread", "layer", "scope":
        yield ["memtop", "--once", "--at=end", f"--group-by={group}", "--size=160x60", trace]
        yield ["memflame", "--format=collapsed", f"--group-by={group}", trace]
    for metric in "peak", "live", "allocated", "allocations", "leaked", "temporary":
        yield ["memflame", "--format=collapsed", f"--metric={metric}", trace]
    # Errors name what they are about.
    for wrong in "--heap=none", "--process=none", "--stack=none-such", "--thread=none", "--at=mark:none", "--rank=99", "--scope=none":
        for tool in "memstat", "memdump", "memleak", "memflame", "memtop":
            yield [tool, wrong, *(["--once"] if tool == "memtop" else []), trace]
    # Wrong usage repeats what was given.
    for tool in "memas", "memtop", "memstat", "memleak", "memview", "memsim", "memimport", "memrec", *KIT:
        yield [tool, HOSTILE, HOSTILE, HOSTILE]
        yield [tool, "--no-such=" + HOSTILE, trace]
        yield [tool, "--format=" + HOSTILE, trace]
    yield ["memstat", os.path.join(work, "x\nmemstat: error: all is well.fb")]
    yield ["memas", trace, "-o", os.devnull]
    yield ["memimport", trace, "-o", os.devnull]
    yield ["memmerge", "-o", os.devnull, trace, trace]
    yield ["memstat", trace, trace]
    yield ["memstat", trace + ".none"]


def wrong_in(command):
    said = run(command)
    for name, output in ("standard output", said.stdout), ("standard error", said.stderr):
        text = output.decode(errors="surrogateescape")
        bad = BAD.search(text) or re.search("[\udc80-\udcff]", text)
        if bad:
            line = text[max(0, bad.start() - 60):bad.end() + 20]
            return f"{' '.join(command[:-1])}: {name} has {bad.group()!r}: {line!r}"
        if re.search(r"^\w+: error: all is well", text, re.M):
            return f"{' '.join(command[:-1])}: {name} has a line of a name: {text!r}"
        if "PWN" in text and not ("\\x1b" in text or "\\u001b" in text or "\\x9b" in text):
            return f"{' '.join(command[:-1])}: {name}: where is the escape? {text[:300]!r}"
    return None


traces = [hostile(name) for name in TRACES]
work_list = [command for trace in traces for command in commands(trace)]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    found = [problem for problem in pool.map(wrong_in, work_list) if problem]
print(f"{len(work_list)} commands, {len(found)} wrong")
print("\n".join(found[:40]))
said = run(["memstat", traces[0]]).stdout.decode()
assert "é漢" in said, said
sys.exit(bool(found))
