# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong in the job: which ranks, when, and how much."""

import random
from dataclasses import dataclass

from program import DEVICE_BYTES, GIB, MIB

KINDS = ["leak", "imbalance", "oom", "cut", "clock"]
# Planted on request only: ranks of a whole group differ from those of other groups.
GROUP_KINDS = ["experts"]
SIGKILL, SIGTERM = 9, 15
# In all steps, so that the device does not run out of memory.
MAX_LEAK = 10 * GIB
# From the out-of-memory event to the signal that ends the other ranks.
STEPS_TO_END = 3


class FaultError(Exception):
    """Faults that the job has no place for."""


@dataclass
class Leak:
    rank: int
    bytes_per_step: int


@dataclass
class Imbalance:
    rank: int
    factor: float  # of the peak, to that of the other ranks of the stage


@dataclass
class Experts:
    """The experts of one place get more tokens, in all ranks of a stage that hold them."""

    stage: int
    expert: int
    ranks: list
    factor: float  # of the peak, to that of the other ranks of the stage


@dataclass
class Oom:
    rank: int
    step: int
    requested: int
    free: int


@dataclass
class Cut:
    rank: int
    step: int


@dataclass
class Clock:
    node: int
    offset_ns: int


@dataclass
class Faults:
    """The faults of a job; None: not planted."""

    last_step: int  # of the ranks without a fault of their own
    leak: Leak = None
    imbalance: Imbalance = None
    oom: Oom = None
    cut: Cut = None
    clock: Clock = None
    experts: Experts = None

    def last_step_of(self, rank):
        for fault in (self.oom, self.cut):
            if fault and fault.rank == rank:
                return fault.step
        return self.last_step

    def exit_of(self, rank):
        """Exit status and signal of a rank's process."""
        if self.oom and self.oom.rank == rank:
            return 1, 0
        if self.cut and self.cut.rank == rank:
            return 128 + SIGKILL, SIGKILL
        return (128 + SIGTERM, SIGTERM) if self.oom else (0, 0)


def plan_faults(shape, steps, kinds, seed):
    """Chooses the faults. Each has ranks of its own, as far as there are enough."""
    rng = random.Random(f"faults {seed}")
    out = Faults(last_step=steps)
    # Every number is drawn whether its fault is planted or not: --faults changes nothing else.
    clock = Clock(rng.randrange(shape.nodes), rng.choice([-1, 1]) * rng.randrange(20, 61) * 10**9)
    ranks = pick_ranks(shape, clock, kinds, rng)
    leak_bytes = min(rng.randrange(16, 65) * MIB, MAX_LEAK // steps // 512 * 512)
    leak = Leak(ranks["leak"], leak_bytes)
    imbalance = Imbalance(ranks["imbalance"], round(rng.uniform(1.4, 1.75), 2))
    oom_step = max(2, steps * rng.randrange(70, 86) // 100)
    oom = Oom(ranks["oom"], oom_step, rng.randrange(2, 6) * GIB, rng.randrange(600, 900) * MIB)
    cut = Cut(ranks["cut"], max(1, steps * rng.randrange(30, 51) // 100))
    experts = plan_experts(shape, rng)
    planned = {"experts": experts, "leak": leak, "imbalance": imbalance, "oom": oom, "cut": cut, "clock": clock}
    for kind in kinds:
        setattr(out, kind, planned[kind])
    if out.oom:
        out.last_step = min(steps, out.oom.step + STEPS_TO_END)
    return out


def plan_experts(shape, rng):
    stage, expert = rng.randrange(shape.pp), rng.randrange(shape.ep)
    ranks = [r for r in shape.ranks_of_stage(stage) if shape.place(r).expert == expert]
    return Experts(stage, expert, ranks, round(rng.uniform(1.2, 1.4), 2))


def pick_ranks(shape, clock, planted, rng):
    """A rank for each fault, away from the machine with the wrong clock where possible."""
    kinds = [kind for kind in KINDS if kind != "clock"]
    needed = sum(kind in planted for kind in kinds)
    if needed > shape.ranks:
        raise FaultError(f"{needed} ranks with a fault are more than {shape.ranks} ranks")
    skewed = set(shape.ranks_of_node(clock.node))
    ranks = [r for r in range(shape.ranks) if r not in skewed]
    if len(ranks) < len(kinds):
        ranks = list(range(shape.ranks))
    if len(ranks) < len(kinds):
        # Those that are not planted get the rank of another.
        kinds.sort(key=lambda kind: kind not in planted)
        ranks = ranks * len(kinds)
        return dict(zip(kinds, ranks))
    return dict(zip(kinds, rng.sample(ranks, len(kinds))))


def spike_bytes(oom, peak_bytes):
    """What the failing rank has taken beyond its usual peak when a request fails."""
    return (DEVICE_BYTES - oom.free - peak_bytes) // 512 * 512
