# Libraries of tables take the answers as they are.
#
# REQUIRES: pandas, polars, pyarrow, duckdb
# RUN: memas --summarize %training -o %t.fb
# RUN: %with_readers %python -W error::memkit.TraceWarning %s %t.fb
import gc
import sys

import duckdb
import polars
import pyarrow

import memkit

t = memkit.open(sys.argv[1])
answers = [t.run, t.heaps, t.spaces, t.processes, t.threads(), t.steps(), t.layers(), t.operators(), t.scopes,
           t.categories(), t.ooms, t.stacks(), t.stacks(group_by="line"), t.leaks(), t.series(20),
           t.frames(), t.events(columns=["time_ns", "rank", "kind", "scope", "layer"]),
           memkit.diff(t, t)]
for answer in answers:
    table = answer.to_arrow()
    table.validate(full=True)
    assert table.column_names == answer.columns and table.num_rows == len(answer)
    # Arrow reads what the package reads by itself.
    assert table.to_pylist() == answer.to_dicts(), answer

frame = t.events().to_pandas()
assert frame.groupby("kind", observed=True)["size"].count().to_dict() == {"alloc": 34, "free": 21}
assert str(frame["heap"].dtype) == "category"
lines = t.stacks(group_by="line").to_polars()
assert lines.filter(polars.col("name") == "train.py:40 log")["live_bytes"].to_list() == [7 * 524288]
events = t.events()
assert duckdb.sql("select sum(size) from events where kind = 'alloc'").fetchall() == [(sum(
    e.size for e in t.events() if e.kind == "alloc"),)]

# A stream outlives table and trace, and may be left half read, or not read at all.
reader = pyarrow.RecordBatchReader.from_stream(t.events())
unread = t.heaps.__arrow_c_stream__()
part = pyarrow.RecordBatchReader.from_stream(t.frames())
del t, events, answers, answer
gc.collect()
assert sum(batch.num_rows for batch in reader) == 55
part.read_next_batch()
del part, unread
gc.collect()
# At the interpreter's end, too.
kept = memkit.open(sys.argv[1]).heaps.__arrow_c_stream__()
