# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads traces; tells memrec what a program does, and asks what the program holds.

After a recording:

    import memkit

    trace = memkit.open("trace.fb")         # or "live:PID", a recording that runs
    trace.stacks(at="peak", group_by="line").to_pandas()
    memkit.diff("before.fb", "after.fb")

Before a run:

    print(memkit.predict(step, device="24GiB"))  # what a training step of PyTorch would take, without memory

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
for some seconds at most, and never for a recorder that is gone.
"""

from typing import TYPE_CHECKING, Any

from ._alert import Alert, alert, check, on_snapshot, watchdog
from ._scope import scope
from ._stats import HeapStats, Stats, TensorStats
from ._program import mark, recording, start, stats, step, stop, trace

if TYPE_CHECKING:
    from ._device import DeviceSample, allocated, freed, register_collector, unregister_collector
    from ._holders import Holder, holders
    from ._record import Recording, record
    from ._measure import Result, Summary, SummaryRow, layers, measure, profile, reset, results, summary
    from ._library import AnswerError, Error, LibraryError, RequestError, TraceError
    from ._predict import CompiledPrediction, PlannedLine, Prediction, PredictionError, Variant, Variation, predict
    from ._table import Table
    from ._trace import Choice, Path, Trace, TraceWarning

__version__ = "0.1.0"

# What not every program needs is loaded when it is first used.
_LATER = {
    "AnswerError": "_library",
    "DeviceSample": "_device",
    "allocated": "_device",
    "freed": "_device",
    "register_collector": "_device",
    "unregister_collector": "_device",
    "Error": "_library",
    "Holder": "_holders",
    "holders": "_holders",
    "Recording": "_record",
    "record": "_record",
    "LibraryError": "_library",
    "RequestError": "_library",
    "TraceError": "_library",
    "Result": "_measure",
    "Summary": "_measure",
    "SummaryRow": "_measure",
    "layers": "_measure",
    "measure": "_measure",
    "profile": "_measure",
    "reset": "_measure",
    "results": "_measure",
    "summary": "_measure",
    "CompiledPrediction": "_predict",
    "PlannedLine": "_predict",
    "Prediction": "_predict",
    "PredictionError": "_predict",
    "Variant": "_predict",
    "Variation": "_predict",
    "predict": "_predict",
    "Table": "_table",
    "Trace": "_trace",
    "TraceWarning": "_trace",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'memkit' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module("." + _LATER[name], __name__), name)
    globals()[name] = value
    return value


def open(path: "Path") -> "Trace":
    """Opens a trace: a file, or ``live:PID`` for a recording that runs."""
    from . import _trace

    return _trace.Trace(path)


def diff(before: "Trace | Path", after: "Trace | Path", **selection: "Choice") -> "Table":
    """What changed from one run to another, by line of code."""
    from . import _trace

    return _trace.diff(before, after, **selection)


__all__ = [
    "Alert",
    "AnswerError",
    "CompiledPrediction",
    "DeviceSample",
    "Error",
    "HeapStats",
    "Holder",
    "LibraryError",
    "PlannedLine",
    "Prediction",
    "PredictionError",
    "RequestError",
    "Result",
    "Stats",
    "Summary",
    "SummaryRow",
    "Table",
    "TensorStats",
    "Trace",
    "TraceError",
    "TraceWarning",
    "Variant",
    "Variation",
    "alert",
    "allocated",
    "check",
    "diff",
    "freed",
    "holders",
    "layers",
    "mark",
    "measure",
    "on_snapshot",
    "open",
    "predict",
    "profile",
    "recording",
    "register_collector",
    "reset",
    "results",
    "scope",
    "start",
    "stats",
    "step",
    "stop",
    "summary",
    "trace",
    "unregister_collector",
    "watchdog",
]
