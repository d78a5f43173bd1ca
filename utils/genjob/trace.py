# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trace of one rank, as text."""

import hashlib
import random

from clocks import MS
from program import DEVICE, DEVICE_BYTES, GIB, HOST, MIB, SCORES, SOURCE, own_stack
from sums import Sums, find_site, make_table
from text import LOADER, LOADER_STACK, define_stack, interval_row, quoted, row_values, stack_row

JOB = "moe-27b"
OPTIONS = ["on-full=wait:10s", "max-depth=1024", "source=lines", "events=none"]
VERSIONS = ["python=3.11.9", "torch=2.13.0", "cuda=13.0"]
# Stacks that only some ranks have.
OWN_STACKS, OWN_OF_RANK = 12, 2
RESERVE = 2 * MIB
# Of a row of lifetimes.
MAX_COHORTS = 64


class RankTrace:
    """Writes the sections of a rank's trace."""

    def __init__(self, shape, place, machine, times, faults, stage, text, rank):
        self.shape, self.place, self.machine, self.times = shape, place, machine, times
        self.faults, self.stage, self.text, self.rank = faults, stage, text, rank
        self.failed = bool(faults.oom) and faults.oom.rank == place.rank
        self.last = len(times.steps) - 1
        self.space = f"cuda:{place.local}"
        self.own = self.choose_own()
        self.ids = dict(text.stack_ids)
        for stack in self.own:
            self.ids[stack] = len(self.ids) + 1

    def choose_own(self):
        """Stacks of this rank alone, with their blocks."""
        rng = random.Random(f"own {self.place.rank}")
        numbers = sorted(rng.sample(range(OWN_STACKS), OWN_OF_RANK))
        sizes = [rng.randrange(100, 5000) for _ in numbers]
        return {own_stack(n): Sums(1, s, 1, s, s, 1, s) for n, s in zip(numbers, sizes)}

    def whole(self):
        marks = self.marks()
        parts = [self.header(), self.dictionary(), *marks, *self.intervals()]
        return "\n".join([*parts, *self.lifetimes(), *self.summary(len(marks) - 1), "complete", ""])

    def unfinished(self):
        """What is in the file when the recorder is killed with the program."""
        lost = f"{self.times.end} loss process=1 id=6 values=[{self.events()}]"
        parts = [self.header(), self.dictionary(), *self.marks(), lost, *self.intervals()]
        return "\n".join([*parts, self.partial(1), self.partial(2), ""])

    # ---- names

    def command(self):
        s = self.shape
        return ["python", "train.py", "--tp", s.tp, "--pp", s.pp, "--dp", s.dp, "--ep", s.ep]

    def pid(self):
        return 21000 + 40 * self.place.local + self.place.node % 7

    def header(self):
        tsc, monotonic, real = self.machine.clocks(self.times.start)
        return (
            f'header tool="memrec 0.1.0" command={quoted(self.command())}'
            f' host="{self.machine.host}" boot-id="{self.machine.boot_id}"'
            f' os="Linux 6.8.0 x86_64" pid={self.pid()} rank={self.place.rank}'
            f" world-size={self.shape.ranks} options={quoted(OPTIONS)}"
            f" start=[{tsc} {monotonic} {real}] tsc-hz={self.machine.tsc_hz} page-size=4096"
            f' cpus=96 machine=["memory=1081101176832" "gpu=NVIDIA H100 80GB HBM3"]'
        )

    def device(self):
        uuid = hashlib.md5(f"{self.machine.boot_id} {self.place.local}".encode()).hexdigest()
        return (
            f'device 1 uuid={uuid} pci="0000:{0x1B + 0x11 * self.place.local:02x}:00.0"'
            f' name="NVIDIA H100 80GB HBM3" space="{self.space}" bytes={DEVICE_BYTES}'
        )

    def process(self, number, origin, role, start):
        p = self.place
        return (
            f'process {number} pid={self.pid() + number - 1} parent={number - 1} origin={origin}'
            f' exe="/usr/bin/python3.11" command={quoted(self.command())} role="{role}"'
            f" start={start} rank={p.rank} world-size={self.shape.ranks} local-rank={p.local}"
            f' node={p.node} attempt=0 job="{JOB}"'
        )

    def dictionary(self):
        pid = self.pid()
        lines = [
            "dictionary",
            self.device(),
            self.process(1, "start", "train.py", 0),
            self.process(2, "fork", "train.py (fork)", 30_000 * MS),
            f'thread 1 process=1 tid={pid} name="python"',
            f'thread 2 process=2 tid={pid + 1} name="pt_data_worker" start={30_000 * MS}',
            'heap 1 name="host.malloc"',
            f'heap 2 name="torch.{self.space}" space=1',
            *(f'source-line file="{f}" line={n} text="{t}"' for (f, n), t in SOURCE.items()),
            self.text.definitions,
            *(define_stack(self.ids[stack], stack) for stack in self.own),
        ]
        return "\n".join(lines)

    # ---- what happens in time

    def marks(self):
        """`marks`, then the marks in order of time."""
        lines = [f'{20_000 * MS} version process=1 name="{v}"' for v in VERSIONS]
        for step, begin in enumerate(self.times.steps[:-1], 1):
            lines.append(f"{begin} step process=1 id={step}")
            if step % 16 == 1:
                lines.append(f"{begin} rss process=1 values=[{self.rss()} {900 * MIB}]")
        if self.failed:
            lines.append(self.oom_mark())
        status, signal = self.faults.exit_of(self.place.rank)
        for process in (2, 1):
            ended = f"process-end process={process} values=[{status} {signal}]"
            lines.append(f"{self.times.end} {ended}")
        return ["marks", *lines]

    def rss(self):
        return self.rank.table.heaps[HOST].live_bytes + 3 * GIB

    def oom_time(self):
        return self.times.steps[-2] + 500 * MS

    def failing_stack(self):
        return self.ids[find_site(self.rank.sites, SCORES).stack]

    def oom_mark(self):
        live = self.rank.table.heaps[DEVICE].peak_bytes
        values = f"{self.faults.oom.requested} {live} {self.reserved()} {self.free()}"
        where = f"process=1 thread=1 heap=2 stack={self.failing_stack()}"
        return f"{self.oom_time()} oom {where} values=[{values}]"

    def intervals(self):
        """One before the first step, then one for each step."""
        steps = self.times.steps
        lines = ["intervals process=1", f"interval 0 end={steps[0]} detail=whole"]
        lines += self.kept_rows()
        if self.text.kept:
            lines.append(self.text.kept)
        for step in range(1, self.last + 1):
            lines.append(
                f"interval {step} first-step={step} last-step={step} begin={steps[step - 1]}"
                f" end={steps[step]} detail=changed"
            )
            lines += self.changed_rows(step)
        return lines

    def kept_rows(self):
        """The varied stacks with blocks before the first step."""
        grows = self.rank.leak_site()
        sites = [s for s in self.rank.sites if s is not grows]
        for (heap, stack), sums in make_table(sites, 0).stacks.items():
            if sums.live:
                live = sums.live, sums.live_bytes + self.rank.missing(stack)
                yield interval_row(self.ids, heap, stack, *live, *live)

    def changed_rows(self, step):
        site = self.rank.collate_site()
        size = site.kept_bytes - self.rank.less[step - 1]
        yield interval_row(self.ids, HOST, site.stack, site.kept, size, site.made, site.made_bytes)
        if leak := self.rank.leak:
            stack = self.rank.leak_site().stack
            yield interval_row(self.ids, DEVICE, stack, step, leak * step, 1, leak)

    def lifetimes(self):
        """Only blocks of a leak are younger than the first steps."""
        yield "lifetimes process=1"
        # Of the host and the device: all intervals but that with the end of the process.
        for space in (1, 2):
            yield f"cut space={space} intervals={self.last}"
        if not self.rank.leak:
            return
        yield f"life heap={DEVICE} stack={self.ids[self.rank.leak_site().stack]}"
        joined = -(-self.last // MAX_COHORTS)
        for first in range(1, self.last, joined):
            blocks = min(joined, self.last - first)
            size = blocks * self.rank.leak
            yield f"cohort interval={first} last={first + blocks - 1} blocks={blocks} bytes={size}"

    # ---- sums

    def summary(self, marks):
        yield f"summary number=1 end={self.times.end} events=0 marks={marks}"
        yield from self.stack_rows()
        yield "scope-paths process=1"
        for name, sums in sorted(self.rank.table.layers.items()):
            yield f"row scope-path={self.text.scope_ids[name]} heap=2 {row_values(sums)}"
        yield from self.heap_lines()
        yield from self.process_lines()
        yield from self.step_lines()
        yield from self.layer_lines()
        yield f"loss events process=1 count={self.events()}"
        yield from self.category_lines()
        yield from self.oom_lines()
        yield f"thread 1 allocations={self.allocations()} allocated-bytes={self.allocated()}"
        yield f"thread 2 allocations={LOADER.allocations} allocated-bytes={LOADER.allocated}"

    def stack_rows(self):
        yield "stacks process=1"
        varied = make_table(self.rank.sites, self.last).stacks
        for heap in (HOST, DEVICE):
            for (of, stack), sums in varied.items():
                if of == heap:
                    yield stack_row(self.ids, heap, stack, sums)
            yield self.text.rows[heap]
            if heap == HOST:
                yield from (stack_row(self.ids, heap, s, sums) for s, sums in self.own.items())
        yield "stacks process=2"
        yield stack_row(self.ids, HOST, LOADER_STACK, LOADER)

    def total(self, heap, with_loader=True):
        """The sums of a heap over the processes."""
        out = Sums()
        out.add(self.rank.table.heaps[heap])
        for sums in self.own.values() if heap == HOST else ():
            out.add(sums)
        if heap == HOST and with_loader:
            out.add(LOADER)
        return out

    def allocations(self):
        return sum(self.total(heap, with_loader=False).allocations for heap in (HOST, DEVICE))

    def allocated(self):
        return sum(self.total(heap, with_loader=False).allocated for heap in (HOST, DEVICE))

    def frees(self):
        live = sum(self.total(heap, with_loader=False).live for heap in (HOST, DEVICE))
        return self.allocations() - live

    def events(self):
        return self.allocations() + self.frees()

    def peak_time(self, heap):
        if heap == DEVICE and self.failed:
            return self.oom_time()
        step = self.rank.peak_steps[heap]
        begin, end = self.times.steps[step - 1], self.times.steps[step]
        return (begin + (end - begin) // 3) // 100 * 100

    def total_values(self, heap):
        t = self.total(heap)
        return (
            f"allocations={t.allocations} frees={t.allocations - t.live}"
            f" allocated-bytes={t.allocated} freed-bytes={t.allocated - t.live_bytes}"
            f" live-blocks={t.live} live-bytes={t.live_bytes} peak-bytes={t.peak_bytes}"
            f" peak-blocks={t.peak} peak-time={self.peak_time(heap)}"
        )

    def free(self):
        """Of the device, when the request failed."""
        return DEVICE_BYTES - self.reserved() - 420 * MIB

    def reserved(self):
        peak = self.rank.table.heaps[DEVICE].peak_bytes
        limit = DEVICE_BYTES - 520 * MIB
        return min(limit, peak + peak // 25) // RESERVE * RESERVE

    def heap_lines(self):
        sizes = self.rank.table.sizes
        for heap in (HOST, DEVICE):
            counts = [sizes[heap].get(bits, 0) for bits in range(max(sizes[heap]) + 1)]
            line = f"heap {heap} {self.total_values(heap)}"
            if heap == DEVICE:
                size = self.reserved()
                line += (
                    f" reserved-known=true reserved-bytes={size} reserved-peak-bytes={size}"
                    f" reserved-at-peak-bytes={size} growth-fragmentation-ppm=42000"
                    f" sizes=[{' '.join(map(str, counts))}]"
                )
            yield line
        for space, heap in ((0, HOST), (1, DEVICE)):
            yield f"space {space} {self.total_values(heap)}"

    def process_lines(self):
        status, signal = self.faults.exit_of(self.place.rank)
        ended = f"end={self.times.end} ended=true exit-status={status} signal={signal}"
        yield self.process_line(ended)
        yield (
            f"process 2 {ended} allocations={LOADER.allocations}"
            f" frees={LOADER.allocations - LOADER.live} live-bytes={LOADER.live_bytes}"
            f" peak-bytes={LOADER.own_peak} rss-peak-bytes={700 * MIB}"
        )

    def process_line(self, ended):
        host, device = (self.total(h, with_loader=False) for h in (HOST, DEVICE))
        return (
            f"process 1 {ended} allocations={self.allocations()} frees={self.frees()}"
            f" live-bytes={host.live_bytes} peak-bytes={host.peak_bytes}"
            f" rss-peak-bytes={self.rss()}\n"
            f"share 1 allocations={device.allocations} frees={device.allocations - device.live}"
            f" allocated-bytes={device.allocated} freed-bytes={device.allocated - device.live_bytes}"
            f" live-bytes={device.live_bytes} peak-bytes={device.peak_bytes}"
        )

    def step_lines(self):
        own = sum(s.live_bytes for s in self.own.values())
        host, device = self.rank.steps[HOST], self.rank.steps[DEVICE]
        for number, (of_host, of_device) in enumerate(zip(host, device), 1):
            begin, end = self.times.steps[number - 1], self.times.steps[number]
            yield f"step {number} process=1 begin={begin} end={end} {step_values(of_host, own)}"
            yield f"share 1 {step_values(of_device, 0)}"

    def layer_lines(self):
        """Each layer runs forward on top of what the layers before have saved."""
        level = sum(s.live_bytes for n, s in self.rank.table.layers.items())
        for name, sums in sorted(self.rank.table.layers.items()):
            level += sums.peak_bytes - sums.live_bytes
            made = sums.allocations - sums.live
            size = sums.allocated - sums.live_bytes
            common = f"peak-bytes={level} reserved-peak-bytes={self.reserved()}"
            yield (
                f'layer name="{name}" process=1 calls={4 * self.last}'
                f" duration={self.last * 11 * MS} allocations={made} allocated-bytes={size} {common}"
            )
            yield f"share 1 allocations={made} allocated-bytes={size} {common}"
            yield (
                f'layer name="{name}" process=1 backward=true calls={4 * self.last}'
                f" duration={self.last * 21 * MS} frees={made} {common}"
            )
            yield f"share 1 frees={made} freed-bytes={size} {common}"

    def category_lines(self):
        for (category, layer), sums in self.rank.table.categories.items():
            if sums.peak:
                of = f'process=1 layer="{layer}"' if layer else "process=1"
                values = f"blocks={sums.peak} bytes={sums.peak_bytes}"
                yield f"category {category} heap=2 {of} {values}"

    def oom_lines(self):
        if not self.failed:
            return
        yield (
            f"oom 1 process=1 heap=2 thread=1 time={self.oom_time()} stack={self.failing_stack()}"
            f" requested={self.faults.oom.requested} limit-kind=device limit={DEVICE_BYTES}"
            f" free-known=true free={self.free()}"
        )
        for heap in (HOST, DEVICE):
            total = self.total(heap)
            line = f"oom-heap 1 heap={heap} live-blocks={total.peak} live-bytes={total.peak_bytes}"
            if heap == DEVICE:
                line += f" reserved-known=true reserved-bytes={self.reserved()}"
            yield line

    def partial(self, number):
        """Rows of a killed recording, as of a moment before its end."""
        end = self.times.end - (2 - number) * 500 * MS
        head = f"partial number={number} end={end}"
        return "\n".join([head, self.process_line(f"end={end}"), *self.layer_lines()])


def step_values(step, own):
    """`own`: live bytes of the rank's own stacks."""
    return (
        f"allocations={step.allocations} frees={step.allocations} allocated-bytes={step.allocated}"
        f" freed-bytes={step.freed} peak-bytes={step.peak + own} live-bytes={step.live + own}"
    )
