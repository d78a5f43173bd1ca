# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells memrec what a program does, and asks it what the program holds.

Under ``memrec -- python program.py``:

    import memkit

    with memkit.scope("load") as load:      # a name for what is allocated inside
        data = read()
    print(load.allocated, load.peak, load.heaps["host.malloc"].after)

    for batch in data:
        memkit.step()                       # a step begins
        train(batch)
    memkit.mark("trained")                  # a point in time with a name

    memkit.alert("cuda:0:used>90%", print)  # called at a step() or check()
    memkit.watchdog("90%", clean=(gc.collect, torch.cuda.empty_cache))

Without memrec all of it does nothing, in well under a microsecond, and what a
scope would have measured is None. Safe in threads, signal handlers and forked
children. Nothing here waits for the recorder but what reads numbers, and that
for a second or so at most, and never for a recorder that is gone.
"""

from ._alert import Alert, alert, check, watchdog
from ._scope import scope
from ._stats import HeapStats, Stats, TensorStats
from ._program import mark, recording, start, stats, step, stop, trace

__all__ = [
    "Alert",
    "HeapStats",
    "Stats",
    "TensorStats",
    "alert",
    "check",
    "mark",
    "recording",
    "scope",
    "start",
    "stats",
    "step",
    "stop",
    "trace",
    "watchdog",
]
