# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory in TensorBoard, beside the losses.

    import memkit.tensorboard

    memkit.tensorboard.write("trace.fb", "runs/1")      # after a recording; also "live:PID"

    memory = memkit.tensorboard.Callback("runs/1")      # in a program that memrec records
    for batch in data:
        train(batch)
        memory.step()
    memkit.on_snapshot(memory)                          # or each second

TensorBoard's own package writes the files (``pip install tensorboard``); TensorFlow is not needed.
"""

import os
import subprocess
import time
from typing import Any, Dict, Iterable, Optional, Tuple

from . import _library, _trace
from ._stats import Stats, ask
from .job import _tool

#: The tags of what is written.
SCALARS = "memory"
TEXT = "memkit"
PAGE = "memkit.html"
POINTS = 500
NS = 1e9


class Callback:
    """Writes what the program holds, at each step or snapshot. Without memrec it writes nothing.

    Scalars, in bytes: ``memory/live`` and ``memory/peak`` of the host, ``memory/HEAP/live`` of each
    heap, and ``memory/DEVICE/tensors`` of each device. One thread.
    """

    def __init__(self, logdir: "os.PathLike[str] | str") -> None:
        self._writer = _writer_of(logdir)
        self._steps = 0

    def step(self, step: Optional[int] = None) -> None:
        """A step has ended. step: its number; else one more than that of the call before."""
        self(ask(0), step)

    def __call__(self, stats: Optional[Stats], step: Optional[int] = None) -> None:
        """For ``memkit.on_snapshot()``."""
        if step is not None:
            self._steps = step
        if stats is not None:
            values = {"live": stats.total.after, "peak": stats.total.peak}
            values.update({f"{name}/live": heap.after for name, heap in stats.heaps.items()})
            values.update({f"{name}/tensors": stats.tensors_of(name).after for name in stats.devices()})
            _add(self._writer, self._steps, time.time(), {name: v for name, v in values.items() if v is not None})
            self._writer.flush()
        self._steps += 1

    def close(self) -> None:
        """Writes what is left."""
        self._writer.close()


def write(trace: "_trace.Trace | os.PathLike[str] | str", logdir: "os.PathLike[str] | str", page: bool = True) -> int:
    """Writes a trace for TensorBoard into a folder; returns the number of scalars.

    Of each step: ``memory/SPACE/peak`` and ``memory/SPACE/live`` in bytes, with the time of the
    recording; of a run without steps the curves, by milliseconds. Processes after the first have their
    number in the tag. The text ``memkit`` is that of ``memkit explain``. page: also ``memkit.html`` there,
    the page of memview. Errors: a TraceError; ImportError without TensorBoard's package.
    """
    opened = trace if isinstance(trace, _trace.Trace) else _trace.Trace(trace)
    try:
        writer = _writer_of(logdir)
        try:
            count = _write_scalars(opened, writer)
            # No name is an option.
            path = opened.path if opened.path.startswith("live:") else os.path.abspath(opened.path)
            text = _said("memstat", "-q", "--explain", path)
            if page:
                _said("memview", "-q", "-o", os.path.join(os.fspath(logdir), PAGE), path)
                text += f"\nThe whole page: `{PAGE}` in this folder.\n"
            _add_text(writer, text)
        finally:
            writer.close()
    finally:
        if opened is not trace:
            opened.close()
    return count


def _writer_of(logdir: "os.PathLike[str] | str") -> Any:
    try:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as missing:
        raise ImportError("memkit.tensorboard needs TensorBoard's package: pip install tensorboard") from missing
    return EventFileWriter(os.fspath(logdir))


def _write_scalars(trace: _trace.Trace, writer: Any) -> int:
    start = next(iter(trace.run)).start_unix_ns / NS
    count = 0
    for step, at, values in _steps_of(trace) if len(trace.steps()) else _curves_of(trace):
        _add(writer, step, start + at, values)
        count += len(values)
    return count


def _steps_of(trace: _trace.Trace) -> Iterable[Tuple[int, float, Dict[str, int]]]:
    first = None
    for row in trace.steps():
        first = row.process if first is None else first
        of = row.space if row.process == first else f"{row.space} of {row.process}"
        yield row.step, row.end_ns / NS, {f"{of}/peak": row.peak_bytes, f"{of}/live": row.live_bytes}


def _curves_of(trace: _trace.Trace) -> Iterable[Tuple[int, float, Dict[str, int]]]:
    for row in trace.series(points=POINTS):
        if row.bytes is not None:
            yield int(row.time_ns // 1_000_000), row.time_ns / NS, {f"{row.of}/{row.metric}": row.bytes}


def _add(writer: Any, step: int, at: float, values: Dict[str, int]) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    scalars = [Summary.Value(tag=f"{SCALARS}/{name}", simple_value=float(value)) for name, value in values.items()]
    writer.add_event(Event(wall_time=at, step=step, summary=Summary(value=scalars)))


def _add_text(writer: Any, text: str) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.plugins.text.summary import text_pb

    writer.add_event(Event(wall_time=time.time(), step=0, summary=text_pb(TEXT, text)))


def _said(tool: str, *arguments: str) -> str:
    environment = {**os.environ, "MEMKIT_CONFIG": "off"}
    run = subprocess.run(
        [_tool(tool), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False
    )
    if run.returncode:
        raise _library.TraceError(run.stderr.decode("utf-8", "replace").strip())
    return run.stdout.decode("utf-8", "replace")
