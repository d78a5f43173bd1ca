# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doubles each dimension of a trace, and of recordings for memimport, and fails where a tool's time more than
doubles by far.

    doubling.py FOLDER [--quick] [--all] [--once] [--only=DIMENSION]

Time is processor time of the tool outside of the kernel, the least of several runs. Growth counts where the larger input takes
MIN_SECONDS or more: below, the start of a tool and noise decide. What grows too much is doubled once more: growth that
is not linear shows again, tables that no longer fit into a cache do not. --quick: the dimensions that have been
quadratic. --all: prints every measurement. --once: the small input once, too. --only: this dimension."""

import os
import resource
import subprocess
import sys
import sqlite3
from pathlib import Path

MAX_GROWTH, MIN_SECONDS = 2.5, 0.2
FLOOR = MIN_SECONDS / MAX_GROWTH
# A tool that takes longer has failed: a quadratic one must not run for hours.
LIMIT_SECONDS = 60


# Traces, as text for memas. Each takes a file and a number.

EVENTS_OF_SECTION = 60000


class Text:
    """A trace that is being written: first names, then events."""

    def __init__(self, out):
        self.out = out
        self.rows = 0
        self.at = 0
        self.section = None
        out.write('header command=["p"]\ndictionary\n')

    def name(self, line):
        self.out.write("  " + line + "\n")

    def event(self, line, process=1, step=1000):
        """An event at the next time."""
        self.at += step
        self.rows += 1
        if self.section != process or self.rows % EVENTS_OF_SECTION == 0:
            self.out.write("events process=%d\n" % process)
            self.section = process
        self.out.write("  %d %s\n" % (self.at, line))

    def mark(self, line, step=1000):
        self.at += step
        if self.section != "marks":
            self.out.write("marks\n")
            self.section = "marks"
        self.out.write("  %d %s\n" % (self.at, line))

    def end(self):
        self.out.write("complete\n")


def one_process(t, stacks=1, heap=True):
    t.name('process 1 pid=1 exe="p" command=["p"]')
    t.name("thread 1 process=1 tid=1")
    if heap:
        t.name('heap 1 name="host.malloc"')
    for i in range(1, stacks + 1):
        t.name("stack %d main > f%d" % (i, i))


def heaps(t, n):
    one_process(t, heap=False)
    for i in range(1, n + 1):
        t.name('heap %d name="h%d"' % (i, i))
    for i in range(1, n + 1):
        t.event("th1 alloc heap=%d stack=1 size=%d" % (i, i))


def spaces(t, n):
    one_process(t, heap=False)
    for i in range(1, n + 1):
        t.name('device %d name="d" space="cuda:%d" bytes=1000000' % (i, i))
        t.name('heap %d name="cuda:%d.device" space=%d' % (i, i, i))
    for i in range(1, n + 1):
        t.event("th1 alloc heap=%d stack=1 size=%d" % (i, i))


def processes(t, n, ends=False):
    t.name("stack 1 main")
    t.name('heap 1 name="host.malloc"')
    for i in range(1, n + 1):
        t.name('process %d pid=%d parent=%d exe="p%d" command=["p" "%d"]' % (i, i, i // 2, i, i))
        t.name("thread %d process=%d tid=%d" % (i, i, i))
    for i in range(1, n + 1):
        t.event("th%d alloc heap=1 stack=1 size=%d" % (i, i), process=i, step=1000000)
        if ends:
            t.mark("process-end process=%d" % i)


def ended_processes(t, n):
    processes(t, n, ends=True)


def threads(t, n):
    one_process(t)
    for i in range(2, n + 1):
        t.name('thread %d process=1 tid=%d name="t%d"' % (i, i, i))
    for i in range(1, n + 1):
        t.event("th%d alloc heap=1 stack=1 size=%d" % (i, i))


def blocks(t, n):
    one_process(t)
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=1 size=%d" % i)


def frees(t, n):
    one_process(t)
    for i in range(n):
        t.event("th1 alloc heap=1 stack=1 size=%d" % (i + 1))
    for i in range(n):
        t.event("th1 free #%d" % i)


def stacks(t, n):
    one_process(t, stacks=n)
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i, i))


def wide(t, n):
    """Callees of one function: nodes with one parent."""
    one_process(t, stacks=0)
    for i in range(1, n + 1):
        t.name("stack %d main > all > f%d@a.py:%d" % (i, i, i))
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i, i))


def deep(t, n):
    """A stack of each depth of a recursion of n functions."""
    one_process(t, stacks=0)
    for i in range(1, n + 1):
        t.name('function %d name="f%d" file="a%d.py" line=%d' % (i, i, i, i))
        t.name("frame %d named function=%d" % (i, i))
    t.name("stack 1 frames=[%s]" % " ".join(str(i) for i in range(1, n + 1)))
    for i in range(1000):
        t.event("th1 alloc heap=1 stack=1 size=%d" % i)


def levels(t, n):
    """Allocations at every level of a recursion."""
    one_process(t, stacks=0)
    t.name('function 1 name="f" file="a.py" line=1')
    t.name("frame 1 named function=1")
    for i in range(1, n + 1):
        t.name("stack %d node=%d frames=[1]" % (i, i - 1))
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i, i))


def scopes_of(kind):
    def write(t, n):
        one_process(t)
        for i in range(1, n + 1):
            t.name('scope %d %s name="s%d"' % (i, kind, i))
            t.name("scope-path %d scope=%d depth=1" % (i, i))
        for i in range(1, n + 1):
            t.event("th1 alloc heap=1 stack=1 size=%d scope-path=%d" % (i, i))
    return write


def nested_layers(t, n):
    one_process(t)
    for i in range(1, n + 1):
        t.name('scope %d layer name="%s"' % (i, "m.%d.%d.%d" % (i % 3, i % 100, i)))
        t.name("scope-path %d scope=%d parent=%d depth=1" % (i, i, i // 2))
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=1 size=%d scope-path=%d" % (i, i))


def marks(t, n):
    one_process(t)
    for i in range(1, n + 1):
        t.mark('user process=1 thread=1 name="m%d"' % i)
        t.event("th1 alloc heap=1 stack=1 size=%d" % i)


def rss(t, n):
    one_process(t)
    t.event("th1 alloc heap=1 stack=1 size=1")
    for i in range(1, n + 1):
        t.mark("rss process=1 values=[%d]" % (4096 * i), step=1000000)


def steps(t, n):
    one_process(t)
    for i in range(1, n + 1):
        t.mark("step process=1 id=%d" % i, step=1000000)
        t.event("th1 alloc heap=1 stack=1 size=%d" % i)
        t.event("th1 free #%d" % (i - 1))


def kept_steps(t, n):
    """Steps that each leave a block of one of some stacks."""
    one_process(t, stacks=50)
    for i in range(1, n + 1):
        t.mark("step process=1 id=%d" % i, step=1000000)
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i % 50 + 1, 1000))


def names(t, n):
    """Names that nothing uses but one stack each tenth."""
    one_process(t, stacks=0)
    for i in range(1, n + 1):
        t.name('function %d name="ns::function<%d>" file="dir/file%d.cc" line=%d' % (i, i, i, i))
        t.name("frame %d named function=%d" % (i, i))
    for i in range(1, n // 10 + 1):
        t.name("stack %d frames=[%d %d]" % (i, i, n - i))
    for i in range(1, n // 10 + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i, i))


def binaries(t, n):
    one_process(t, stacks=0)
    for i in range(1, n + 1):
        t.name('binary %d path="/lib/lib%d.so"' % (i, i))
        t.name("frame %d native binary=%d address=%d" % (i, i, i))
        t.name("stack %d frames=[%d]" % (i, i))
        t.name("load process=1 binary=%d start=%d size=4096" % (i, i * 8192))
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i, i))


def intervals(t, n):
    """A long run of some stacks."""
    one_process(t, stacks=20)
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i % 20 + 1, 100), step=50000000)


def growing(t, n):
    """Stacks that grow together."""
    one_process(t, stacks=n // 20)
    for i in range(1, n + 1):
        t.event("th1 alloc heap=1 stack=%d size=%d" % (i % (n // 20) + 1, 100), step=1000000)


def torch(t, n):
    """Segments and blocks of PyTorch's allocator."""
    one_process(t, heap=False)
    t.name('device 1 name="g" space="cuda:0" bytes=80000000000')
    t.name('heap 1 name="torch.cuda:0" space=1')
    t.name('heap 2 name="cuda:0.device" space=1')
    for i in range(n):
        t.event("th1 alloc heap=1 stack=1 size=%d address=%d" % (512 * (i % 7 + 1), 4096 * (i + 1)))


TRACES = {
    # Name: writer, smaller number. The format has at most 65,535 heaps, processes and spaces.
    "heaps": (heaps, 25000),
    "spaces": (spaces, 2000),
    "processes": (processes, 12000),
    "ended-processes": (ended_processes, 12000),
    "threads": (threads, 30000),
    "blocks": (blocks, 300000),
    "frees": (frees, 150000),
    "stacks": (stacks, 50000),
    "wide": (wide, 100000),
    "deep": (deep, 30000),
    "levels": (levels, 20000),
    "ranges": (scopes_of("range"), 30000),
    "user-scopes": (scopes_of("user"), 30000),
    "operators": (scopes_of("operator"), 30000),
    "layers": (scopes_of("layer"), 20000),
    "nested-layers": (nested_layers, 20000),
    "marks": (marks, 30000),
    "rss": (rss, 100000),
    "steps": (steps, 30000),
    "kept-steps": (kept_steps, 30000),
    "names": (names, 400000),
    "binaries": (binaries, 40000),
    "intervals": (intervals, 30000),
    "growing": (growing, 60000),
    "torch": (torch, 50000),
}
# memsim's allocators, a trace of the changes, and servers are not worth a run for each.
TOOLS = {
    "memas": "memas -q --summarize {text} -o {out}",
    "memstat": "memstat -q --top=0 {fb}",
    "memstat-timeline": "memstat -q --timeline --format=csv {fb}",
    "memleak": "memleak -q --top=0 {fb}",
    "memdiff": "memdiff -q --top=0 --noise=0 {other} {fb}",
    "memflame": "memflame -q {fb} -o {out}.svg",
    "memflame-line": "memflame -q --group-by=line --format=collapsed {fb}",
    "memflame-scope": "memflame -q --group-by=scope-path --format=collapsed {fb}",
    "memflame-firefox": "memflame -q --format=firefox {fb} -o {out}",
    "memflame-perfetto": "memflame -q --format=perfetto {fb} -o {out}",
    "memdump": "memdump -q {fb} -o {out}",
    "memdump-json": "memdump -q --format=json {fb} -o {out}",
    "memdump-check": "memdump -q --check {fb}",
    "memdump-asm": "memdump -q --format=asm {fb} -o {out}",
    "memmerge": "memmerge -q {fb} {other} -o {out}",
    "memview": "memview -q {fb} -o {out}.html",
    "memtop": "memtop -q --once {fb}",
}
QUICK = {
    "heaps": ["memas", "memstat", "memdiff", "memtop"],
    "ended-processes": ["memas", "memstat"],
    "processes": ["memas"],
    "nsys": None,
    "heaptrack": None,
}


# Recordings of other tools


def nsys(path, n):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1 + i % 50, "f%d" % i) for i in range(n)])
    db.execute("CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, originalIP INTEGER, "
               "stackDepth INTEGER)")
    db.executemany("INSERT INTO CUDA_CALLCHAINS VALUES (?, 1, 1, ?, 0)", [(i, i) for i in range(n)])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (globalTid INTEGER, correlationId INTEGER, nameId INTEGER, "
               "callchainId INTEGER)")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, ?, 1, ?)", [(i, i) for i in range(n)])
    db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, "
               "globalTid INTEGER)")
    db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, 1, 0)", [(i, 2 * n) for i in range(n)])
    db.execute("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, "
               "address INTEGER, bytes INTEGER, memoryOperationType INTEGER, correlationId INTEGER, "
               "localMemoryPoolAddress INTEGER, localMemoryPoolSize INTEGER, localMemoryPoolUtilizedSize INTEGER)")
    db.executemany("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?, 0, 0, ?, 1, 0, ?, ?, 4096, 1)",
                   [(i * 1000, 4096 * (i + 1), i, i + 1) for i in range(n)])
    db.commit()
    db.close()


def heaptrack(path, n):
    """Marks between unknown frees, and stacks."""
    with open(path, "w", encoding="ascii") as to:
        to.write("v 10400 3\n")
        for i in range(n):
            to.write("s %x f%d\ni %x 1 %x\nt %x %x\na 10 %x\n" % (len(str(i)) + 1, i, i + 1, i + 1, i + 1, i // 2, i + 1))
        for i in range(n):
            to.write("+ %x\nR %x\n- %x\n- %x\n" % (i, i, i, i))


def rmm(path, n):
    with open(path, "w", encoding="ascii") as to:
        to.write("Thread,Time,Action,Pointer,Size,Stream\n")
        for i in range(n):
            to.write("%d,00:00:01.%06d,allocate,0x%x,64,0x%x\n" % (i, i % 1000000, 256 * (i + 1), i))


def jemalloc(path, n):
    with open(path, "w", encoding="ascii") as to:
        to.write("heap_v2/524288\n  t*: 1: 1 [0: 0]\n")
        for i in range(n):
            to.write("@ 0x%x 0x%x\n  t*: 1: 64 [0: 0]\n" % (4096 * i + 4096, i % 100 + 1))
        to.write("\nMAPPED_LIBRARIES:\n")
        for i in range(n):
            to.write("%x-%x r-xp 00000000 00:00 1 /gone/lib%d.so\n" % (4096 * i + 4096, 4096 * i + 8192, i))


def lsan(path, n):
    with open(path, "w", encoding="ascii") as to:
        to.write("==1==ERROR: LeakSanitizer: detected memory leaks\n\n")
        for i in range(n):
            to.write("Direct leak of 8 byte(s) in 1 object(s) allocated from:\n"
                     "    #0 0x%x in f%d /a/b%d.c:%d\n    #1 0x1 in main /a/m.c:1\n\n" % (i + 4096, i, i, i + 1))


RECORDINGS = {
    "nsys": (nsys, 40000),
    "heaptrack": (heaptrack, 100000),
    "rmm": (rmm, 60000),
    "jemalloc": (jemalloc, 30000),
    "lsan": (lsan, 60000),
}


# Measurements


def seconds(command, folder):
    """The tool's own processor time; None: it has failed or takes too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS))
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        child = subprocess.Popen(command.split(), stdout=subprocess.DEVNULL, stderr=log, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    # memleak has findings: status 0 or 1.
    if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) > 1:
        return None
    return usage.ru_utime


def least(command, folder, times):
    best = None
    for _ in range(times):
        now = seconds(command, folder)
        if now is None:
            return None
        best = now if best is None else min(best, now)
    return best


class Doubling:
    def __init__(self, folder, times, prints_all):
        self.folder, self.times, self.prints_all = folder, times, prints_all
        self.bad = []
        self.measured = 0

    def pair(self, first, second):
        """The times of two commands."""
        small = least(first, self.folder, self.times)
        large = least(second, self.folder, 1)
        if None not in (small, large) and large > MAX_GROWTH * max(small, FLOOR):
            # The least of more runs, in turn: other programs may have had the caches.
            for _ in range(8):
                if large <= MAX_GROWTH * max(small, FLOOR):
                    break
                small = min(small, least(first, self.folder, 1) or small)
                large = min(large, least(second, self.folder, 1) or large)
        return small, large

    def compare(self, name, command_of):
        """COMMAND_OF: the command on the input of 2^I times the number."""
        small, large = self.pair(command_of(0), command_of(1))
        if None not in (small, large) and large > MIN_SECONDS and large > MAX_GROWTH * max(small, FLOOR):
            again = self.pair(command_of(1), command_of(2))
            if None in again:
                small, large = again
            else:
                # The second pair's smaller input is the first's larger, measured once more.
                large = min(large, again[0])
                if large > MAX_GROWTH * max(small, FLOOR) and again[1] > MAX_GROWTH * again[0]:
                    small, large = again
                else:
                    large = min(large, MAX_GROWTH * max(small, FLOOR))
        if small is None or large is None:
            with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
                self.report(name, "fails, or takes more than %d s: %s" % (LIMIT_SECONDS, log.read(300)), True)
            return
        growth = large / max(small, FLOOR)
        self.measured += 1
        is_bad = large > MIN_SECONDS and growth > MAX_GROWTH
        self.report(name, "%.2f s, doubled %.2f s: x%.1f" % (small, large, growth), is_bad)

    def report(self, name, text, is_bad):
        if is_bad:
            self.bad.append("%s: %s" % (name, text))
        if is_bad or self.prints_all:
            print("%-36s %s%s" % (name, text, "  <--" if is_bad else ""), flush=True)

    def made(self, name, write, size):
        """The files of a trace of the size; None: memas fails."""
        text = os.path.join(self.folder, "%s.%d.mas" % (name, size))
        of = {"text": text, "fb": text + ".fb", "other": text + ".other.fb", "out": os.path.join(self.folder, "out")}
        if os.path.exists(text):
            return of
        with open(text, "w", encoding="ascii") as out:
            t = Text(out)
            write(t, size)
            t.end()
        if seconds("memas -q --summarize {text} -o {fb}".format(**of), self.folder) is None:
            with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
                self.report(name, "memas fails or takes too long: " + log.read(500), True)
            return None
        # The same with other sizes, for comparisons.
        changed = Path(text).read_text(encoding="ascii").replace(" size=1", " size=3")
        Path(text + "2").write_text(changed, encoding="ascii")
        seconds("memas -q --summarize {text}2 -o {other}".format(**of), self.folder)
        return of

    def trace(self, name, tools):
        write, number = TRACES[name]
        if self.made(name, write, number) and self.made(name, write, 2 * number):
            for tool in tools:
                self.compare("%s %s" % (name, tool), lambda i, tool=tool: TOOLS[tool].format(
                    **self.made(name, write, number << i)))
        for path in Path(self.folder).glob(name + ".*"):
            path.unlink()

    def recording(self, name):
        write, number = RECORDINGS[name]

        def path_of(i):
            path = os.path.join(self.folder, "%s.%d" % (name, number << i))
            if not os.path.exists(path):
                write(path, number << i)
            return path
        self.compare("memimport " + name,
                     lambda i: "memimport -q %s -o %s" % (path_of(i), os.path.join(self.folder, "out")))
        for path in Path(self.folder).glob(name + ".*"):
            path.unlink()


def main():
    folder = sys.argv[1]
    is_quick = "--quick" in sys.argv
    only = [o[7:] for o in sys.argv if o.startswith("--only=")]
    run = Doubling(folder, 1 if is_quick or "--once" in sys.argv else 2, "--all" in sys.argv)

    def is_wanted(name):
        return name in only if only else not is_quick or name in QUICK
    for name in filter(is_wanted, TRACES):
        run.trace(name, QUICK[name] if is_quick else TOOLS)
    for name in filter(is_wanted, RECORDINGS):
        run.recording(name)
    print("%d measurements, %d grow by more than x%.1f" % (run.measured, len(run.bad), MAX_GROWTH))
    return 1 if run.bad or not run.measured else 0


sys.exit(main())
