# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sums of a rank: of each stack, layer, category and heap, and of each step."""

import random
from collections import defaultdict
from dataclasses import dataclass, field, replace

from faults import spike_bytes
from program import COLLATE, DEVICE, EXPERTS, HOST, LEAK, MIB, SCORES


@dataclass(slots=True)
class Sums:
    """As a row of a summary."""

    allocations: int = 0
    allocated: int = 0
    live: int = 0
    live_bytes: int = 0
    own_peak: int = 0
    peak: int = 0
    peak_bytes: int = 0

    def add(self, other):
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def sums_of(site, steps):
    return Sums(
        allocations=site.kept + site.made * steps + site.once,
        allocated=site.kept_bytes + site.made_bytes * steps + site.once_bytes,
        live=site.kept,
        live_bytes=site.kept_bytes - site.less_bytes,
        own_peak=site.kept_bytes + site.made_bytes + site.once_bytes,
        peak=site.peak,
        peak_bytes=site.peak_bytes,
    )


@dataclass
class Table:
    """Sums of sites by what a trace lists."""

    stacks: dict = field(default_factory=lambda: defaultdict(Sums))  # by heap and stack
    layers: dict = field(default_factory=lambda: defaultdict(Sums))
    categories: dict = field(default_factory=lambda: defaultdict(Sums))  # by category and layer
    heaps: dict = field(default_factory=lambda: defaultdict(Sums))
    sizes: dict = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))

    def add_site(self, site, steps):
        sums = sums_of(site, steps)
        self.stacks[site.heap, site.stack].add(sums)
        self.heaps[site.heap].add(sums)
        if site.layer:
            self.layers[site.layer].add(sums)
        if site.heap == DEVICE:
            self.categories[site.category or "unknown", site.layer].add(sums)
        self.add_sizes(site, steps)

    def add_sizes(self, site, steps):
        sizes = self.sizes[site.heap]
        for blocks, size, times in (
            (site.kept, site.kept_bytes, 1),
            (site.made, site.made_bytes, steps),
            (site.once, site.once_bytes, 1),
        ):
            if blocks:
                sizes[(size // blocks).bit_length()] += blocks * times

    def add(self, other):
        """Adds all but the stacks, which the text of a stage has."""
        for mine, theirs in (
            (self.layers, other.layers),
            (self.categories, other.categories),
            (self.heaps, other.heaps),
        ):
            for key, sums in theirs.items():
                mine[key].add(sums)
        for heap, sizes in other.sizes.items():
            for bits, count in sizes.items():
                self.sizes[heap][bits] += count


def make_table(sites, steps):
    out = Table()
    for site in sites:
        out.add_site(site, steps)
    return out


def vary_sites(stage, rng):
    """The sites of one rank: some tenths of a percent more or less than the stage's."""
    every = rng.gauss(1, 0.0015)
    out = []
    for site in stage.varied:
        unit = 512 if site.heap == DEVICE else 1
        bytes_made = site.made_bytes
        if site.made and bytes_made > 512:
            each = int(bytes_made / site.made * every * rng.gauss(1, 0.002)) // unit * unit
            bytes_made = max(unit, each) * site.made
        out.append(replace(site, made_bytes=bytes_made))
    return out


def find_site(sites, line, layer=""):
    return next(s for s in sites if line in s.stack and s.layer.startswith(layer))


def fault_layer(stage):
    """The layer in which a rank of a stage has its fault."""
    return stage.layers[len(stage.layers) // 2]


def plant(sites, stage, faults, rank, last_step):
    """Changes the sites of a rank that has a fault."""
    layer = fault_layer(stage)
    if faults.leak and faults.leak.rank == rank:
        site = find_site(sites, LEAK)
        site.made = site.made_bytes = 0
        site.kept, site.kept_bytes = last_step, last_step * faults.leak.bytes_per_step
    for more, ranks in (
        (faults.imbalance, faults.imbalance and [faults.imbalance.rank]),
        (faults.experts, faults.experts and faults.experts.ranks),
    ):
        if more and rank in ranks:
            site = find_site(sites, EXPERTS, layer)
            extra = int((more.factor - 1) * stage.peak_bytes)
            site.made_bytes += extra // (512 * site.made) * 512 * site.made
    if faults.oom and faults.oom.rank == rank:
        site = find_site(sites, SCORES, layer)
        usual = sum(s.peak_bytes for s in [*sites, *stage.fixed] if s.heap == DEVICE)
        site.once, site.once_bytes = 2, spike_bytes(faults.oom, usual)


@dataclass
class StepSums:
    """A step in one memory space."""

    allocations: int
    allocated: int
    freed: int
    peak: int
    live: int


def step_sums(sites, total, leak, less, peak_step, rng):
    """The steps of one heap. `total`: the heap's sums, `leak`: bytes that each step keeps,
    `less`: for each step what kept blocks lack at its end."""
    last = len(less)
    once = sum(s.once_bytes for s in sites)
    made, made_bytes = sum(s.made for s in sites), sum(s.made_bytes for s in sites)
    kept_bytes = sum(s.kept_bytes for s in sites)
    out = []
    for step in range(1, last + 1):
        later = leak * (last - step)
        gone, gone_before = less[step - 1], less[step - 2] if step > 1 else 0
        allocated, peak = made_bytes + leak, total.peak_bytes - later
        if step == peak_step:
            allocated += once
        else:
            peak = int((peak - once) * (1 - rng.uniform(0.0002, 0.002)))
        freed = allocated - leak + gone - gone_before
        out.append(StepSums(made + bool(leak), allocated, freed, peak, kept_bytes - later - gone))
    return out


@dataclass
class Rank:
    """All sums of one rank."""

    sites: list  # those that vary between ranks
    table: Table  # of all sites; its stacks only of those that vary
    steps: dict  # by heap
    peak_steps: dict  # by heap
    less: list  # by step: what the blocks of COLLATE lack at its end
    leak: int

    def collate_site(self):
        return find_site(self.sites, COLLATE)

    def leak_site(self):
        return find_site(self.sites, LEAK)

    def missing(self, stack):
        """What the blocks of a stack lack at the end of the last step."""
        return self.less[-1] if stack == self.collate_site().stack else 0


def make_rank(stage, fixed, faults, rank, seed):
    """`fixed`: the table of the stage's fixed sites."""
    rng = random.Random(f"rank {seed} {rank}")
    last = faults.last_step_of(rank)
    sites = vary_sites(stage, rng)
    plant(sites, stage, faults, rank, last)
    less = [rng.randrange(8 * MIB) for _ in range(last)]
    find_site(sites, COLLATE).less_bytes = less[-1]
    table = make_table(sites, last)
    table.add(fixed)
    leak = faults.leak.bytes_per_step if faults.leak and faults.leak.rank == rank else 0
    failed = faults.oom and faults.oom.rank == rank
    peak_steps = {h: rng.randrange(1, last + 1) for h in (HOST, DEVICE)}
    if leak or failed:
        peak_steps[DEVICE] = last
    steps = {
        heap: step_sums(
            [s for s in [*sites, *stage.fixed] if s.heap == heap],
            table.heaps[heap],
            leak if heap == DEVICE else 0,
            less if heap == HOST else [0] * last,
            peak_steps[heap],
            rng,
        )
        for heap in (HOST, DEVICE)
    }
    return Rank(sites, table, steps, peak_steps, less, leak)
