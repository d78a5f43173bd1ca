# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When things happen: the steps of the job, and the clocks of its machines."""

import random
from dataclasses import dataclass

MS = 10**6
SECOND = 10**9
# 2026-03-02 08:00 UTC.
JOB_START = 1772438400 * SECOND
FIRST_STEP = 42 * SECOND
STEP = 1200 * MS
# From the end of the last step to the end of the process.
LEAVE = 1500 * MS


def tick(ns):
    """Times of a trace are multiples of 100 ns."""
    return int(ns) // 100 * 100


@dataclass
class Machine:
    """Its name, and its clocks."""

    number: int
    offset_ns: int  # of its real time, from the true time
    booted: int  # true time
    tsc_hz: int
    boot_id: str

    @property
    def host(self):
        return f"node{self.number:03d}"

    def clocks(self, true_ns):
        """TSC, monotonic and real time."""
        monotonic = true_ns - self.booted
        return monotonic * self.tsc_hz // SECOND, monotonic, true_ns + self.offset_ns


def make_machine(number, clock, seed):
    rng = random.Random(f"machine {seed} {number}")
    offset = int(rng.gauss(0, 0.8 * MS))
    if clock and clock.node == number:
        offset += clock.offset_ns
    boot_id = "-".join(f"{rng.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12))
    booted = JOB_START - rng.randrange(86400, 40 * 86400) * SECOND
    return Machine(number, offset, booted, 2_000_000_000 + rng.randrange(100_000_000), boot_id)


def job_steps(steps, seed):
    """True times at which the steps begin, and the last ends."""
    rng = random.Random(f"steps {seed}")
    times = [JOB_START + FIRST_STEP]
    for _ in range(steps):
        times.append(times[-1] + int(STEP * rng.gauss(1, 0.015)))
    return times


@dataclass
class RankTimes:
    """The times of one rank, from the start of its trace."""

    start: int  # true time
    steps: list  # begins of the steps up to the last, then the end of the process

    @property
    def end(self):
        return self.steps[-1]


def rank_times(job, last_step, killed, seed):
    """`killed`: the process ends within its last step."""
    rng = random.Random(f"times {seed}")
    start = JOB_START + rng.randrange(1500 * MS)
    begins = [tick(t - start + abs(rng.gauss(0, 1.5 * MS))) for t in job[: last_step + 1]]
    if killed:
        begins[-1] = begins[-2] + tick((begins[-1] - begins[-2]) * rng.uniform(0.5, 0.95))
    else:
        begins[-1] += tick(LEAVE + rng.randrange(200 * MS))
    return RankTimes(start, begins)
