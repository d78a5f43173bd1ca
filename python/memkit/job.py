# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The traces of a distributed job, with Dask or Spark, or on this machine.

    import memkit.job

    memkit.job.report("run/")                       # what memstat says, as a dict
    job = memkit.job.merge_with_dask("run/")        # one small trace of all ranks
    job.write("job.fb")
    memkit.open("job.fb").ranks.to_pandas()         # a row for each rank

    memkit.job.ranks_with_spark(spark, "s3a://bucket/run/*.fb")      # a DataFrame of ranks
    memkit.job.merge_with_spark(spark, "s3a://bucket/run/*.fb")

The engine reads the traces where they are: a folder, or a path of an object store. Each task
merges the traces that it reads into a small one (``memmerge --summary-only``), and the small ones
are merged as a tree: merging is associative. The engine runs a task again if its worker dies. A
trace that cannot be read is left out, and named in ``unread``.

Workers need this package and memmerge; MEMKIT_BIN names the folder of memkit's tools if they are
not on PATH.
"""

import importlib
import json
import os
import shutil
import subprocess
import tempfile
import warnings
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from . import _library, _trace

LEFT_OUT = "; left out"


class Merged(NamedTuple):
    """A merged trace in memory."""

    trace: bytes  #: empty: of no traces
    unread: Tuple[str, ...] = ()  #: a message for each trace that could not be read

    def write(self, path: "os.PathLike[str] | str") -> None:
        """Writes the trace into a new file, which only the user can read."""
        folder, name = os.path.split(os.path.abspath(path))
        temporary, temporary_path = tempfile.mkstemp(prefix=name + ".tmp", dir=folder)
        try:
            with open(temporary, "wb") as to:
                to.write(self.trace)
            os.replace(temporary_path, path)
        except BaseException:
            os.unlink(temporary_path)
            raise


def _tool(name: str) -> str:
    folder = os.environ.get("MEMKIT_BIN")
    found = shutil.which(name, path=folder) if folder else shutil.which(name)
    if not found:
        raise _library.LibraryError(f"{name} is not on PATH; MEMKIT_BIN can name the folder of memkit's tools")
    return found


def _run(command: List[str]) -> "subprocess.CompletedProcess[bytes]":
    environment = {**os.environ, "MEMKIT_CONFIG": "off"}  # answers are the same in every project
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)


def _messages(stderr: bytes) -> List[str]:
    return stderr.decode("utf-8", "replace").splitlines()


def report(*paths: str) -> Dict[str, Any]:
    """What memstat finds in traces and folders, as in ``memstat --format=json``."""
    done = _run([_tool("memstat"), "--format=json", *paths])
    if done.returncode:
        raise _library.TraceError("; ".join(_messages(done.stderr)))
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


# ---- Merging in a task ----


def _merge_files(paths: List[str], names: Dict[str, str]) -> Merged:
    """names: of files, for messages."""
    done = _run([_tool("memmerge"), "--summary-only", *paths])
    unread = [line for line in _messages(done.stderr) if line.endswith(LEFT_OUT)]
    if done.returncode:
        # None of the traces can be read.
        unread = [line + LEFT_OUT for line in _messages(done.stderr) if ": error: " in line]
        if done.returncode != 1 or len(paths) != 1:
            raise _library.TraceError("; ".join(_messages(done.stderr)))
    for path, name in names.items():
        unread = [line.replace(path, name) for line in unread]
    return Merged(b"" if done.returncode else done.stdout, tuple(unread))


def merge_bytes(traces: "Iterable[Tuple[str, bytes]]") -> Merged:
    """Merges traces, each a name and the bytes of its file."""
    with tempfile.TemporaryDirectory(prefix="memkit-") as folder:
        names, parts = {}, Merged(b"")
        for number, (name, content) in enumerate(traces):
            path = os.path.join(folder, f"{number}.fb")
            with open(path, "wb") as to:
                to.write(content)
            names[path] = name
        if not names:
            return parts
        try:
            return _merge_files(list(names), names)
        except _library.TraceError:
            # No trace of several can be read: say so of each.
            unread: List[str] = []
            for path in names:
                unread += _merge_files([path], names).unread
            return Merged(b"", tuple(unread))


def merge_two(one: Merged, other: Merged) -> Merged:
    """Merges two merged traces."""
    there = [part for part in (one, other) if part.trace]
    unread = one.unread + other.unread
    if len(there) < 2:
        return Merged(there[0].trace if there else b"", unread)
    merged = merge_bytes((f"part {n}", part.trace) for n, part in enumerate(there))
    return Merged(merged.trace, unread + merged.unread)


# ---- Dask ----


def _files(path: str) -> List[str]:
    """The traces of a folder or glob, on any file system of fsspec."""
    import fsspec  # comes with Dask

    system, plain = fsspec.core.url_to_fs(path)
    if system.isdir(plain):
        plain = plain.rstrip("/") + "/**/*.fb"
    return sorted(system.unstrip_protocol(name) for name in system.glob(plain))


def _read(names: Iterable[str]) -> Iterator[Tuple[str, bytes]]:
    import fsspec

    for name in names:
        with fsspec.open(name, "rb") as of:
            yield name, of.read()


def _merge_named(names: Iterable[str]) -> List[Merged]:
    return [merge_bytes(_read(names))]


def _merge_all(parts: Iterable[Merged]) -> Merged:
    merged = Merged(b"")
    for part in parts:
        merged = merge_two(merged, part)
    return merged


def merge_with_dask(path: str, traces_per_task: int = 32, split_every: int = 8) -> Merged:
    """Merges the traces of a folder or glob with Dask: with the client that is current, else in
    processes of this machine.

    Each task merges traces_per_task traces, and then split_every merged traces.
    """
    bag: Any = importlib.import_module("dask.bag")
    names = _files(path)
    if not names:
        raise _library.TraceError(f"{path}: no traces (*.fb) here")
    parts = bag.from_sequence(names, partition_size=traces_per_task).map_partitions(_merge_named)
    merged: Merged = parts.reduction(_merge_all, _merge_all, split_every=split_every).compute()
    return _checked(merged, path)


def _checked(merged: Merged, path: str) -> Merged:
    if not merged.trace:
        raise _library.TraceError("; ".join(merged.unread) or f"{path}: no traces here")
    return merged


# ---- Spark ----


def ranks_of(name: str, content: bytes) -> List[Dict[str, Any]]:
    """The ranks of a trace, as rows with the trace's name; of a trace that cannot be read a row
    with the error."""
    with tempfile.NamedTemporaryFile(prefix="memkit-", suffix=".fb") as file:
        file.write(content)
        file.flush()
        try:
            # A trace that is cut off has the ranks of the part that is there.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", _trace.TraceWarning)
                with _trace.Trace(file.name) as trace:
                    rows = trace.ranks.to_dicts()
        except _library.TraceError as problem:
            return [{"trace": name, "error": str(problem).replace(file.name, name)}]
    return [{"trace": name, "error": None, **row} for row in rows]


#: The columns of ranks_of(), with their types in Spark's words.
COLUMNS = """trace string, error string, rank bigint, world_size bigint, local_rank bigint, node bigint,
attempt bigint, job string, host string, program string, process bigint, processes bigint, device string,
device_peak_bytes bigint, device_peak_step bigint, device_live_bytes bigint, device_reserved_bytes bigint,
device_used_bytes bigint, device_unexplained_bytes bigint, device_bytes bigint, device_growth_per_step double,
host_peak_bytes bigint, host_peak_is_upper_bound boolean, host_live_bytes bigint, host_growth_per_step double,
rss_peak_bytes bigint, steps bigint, last_step bigint, ooms bigint, oom_step bigint, oom_requested_bytes bigint,
end string, exit_status bigint, signal bigint, lost bigint, recording_is_cut boolean"""


def ranks_with_spark(spark: Any, path: str, partitions: Optional[int] = None) -> Any:
    """A DataFrame with a row for each rank of the traces that path names; Spark reads the path."""
    names = [column.split()[0] for column in COLUMNS.split(",")]
    rows = (
        spark.sparkContext.binaryFiles(path, partitions)
        .flatMap(lambda item: ranks_of(*item))
        .map(lambda row: tuple(row.get(name) for name in names))
    )
    return spark.createDataFrame(rows, COLUMNS)


def merge_with_spark(spark: Any, path: str, partitions: Optional[int] = None, depth: int = 3) -> Merged:
    """Merges the traces that path names with Spark, as a tree of this depth."""
    parts = spark.sparkContext.binaryFiles(path, partitions).mapPartitions(lambda items: [merge_bytes(items)])
    return _checked(parts.treeReduce(merge_two, depth), path)
