# Tables as Parquet and Arrow files: DuckDB, polars and pyarrow read in them what the library answers.
#
# REQUIRES: duckdb, polars, pyarrow, libmemkit
# RUN: sed 's/^header /&host="node7" rank=3 /' %src_root/test/tools/memview/page/Inputs/training.mas | memas --summarize -o %t.fb
# RUN: memas --summarize %S/../memstat/programs.mas -o %t.jax.fb
# RUN: memkit-gentrace --events=1200000 --stacks=300 -o %t.large.fb
# RUN: env PYTHONPATH=%obj_root/share/memkit/python:%src_root/.cache/readers %python %s %t.fb %t.large.fb %t.jax.fb %t
import subprocess
import sys

import duckdb
import polars
import pyarrow
from pyarrow import feather, parquet

import memkit

path, large, jax, base = sys.argv[1:]


def dump(trace, table, kind, *more):
    out = f"{base}.{kind}"
    subprocess.run(["memdump", f"--format={kind}", f"--table={table}", *more, trace, "-o", out], check=True)
    return out


def plain(table):
    """Without dictionaries, which Parquet's readers resolve."""
    return pyarrow.table({name: table[name].cast("string") if pyarrow.types.is_dictionary(table[name].type)
                          else table[name] for name in table.column_names}).combine_chunks()


def check(trace, table, answer, *more):
    expected = plain(answer.to_arrow())
    of_parquet, of_arrow = dump(trace, table, "parquet", *more), dump(trace, table, "arrow", *more)
    for read in (parquet.read_table(of_parquet), feather.read_table(of_arrow)):
        read.validate(full=True)
        got = plain(read.replace_schema_metadata(None))
        assert {"host", "rank", "process"} <= set(got.column_names), got.column_names
        for name in expected.column_names:
            assert got[name].equals(expected[name]), (table, name)
    rows = expected.num_rows
    assert duckdb.sql(f"select count(*) from '{of_parquet}'").fetchall() == [(rows,)]
    assert len(polars.read_parquet(of_parquet)) == len(polars.read_ipc(of_arrow)) == rows
    return of_parquet


t = memkit.open(path)
every = "time_ns process rank thread kind block size heap stack scope layer".split()
for table, answer in {
    "events": t.events(columns=every), "stats": t.stacks(), "lines": t.stacks(group_by="line"),
    "blocks": t.table("blocks"), "run": t.run, "spaces": t.spaces, "categories": t.categories(), "ooms": t.ooms,
    "stacks": t.frames(), "steps": t.steps(), "layers": t.layers(), "operators": t.operators(),
    "scopes": t.scopes, "heaps": t.heaps,
    "processes": t.processes, "threads": t.threads(), "leaks": t.leaks(), "series": t.series(1000),
}.items():
    check(path, table, answer)
assert [b.bytes for b in t.table("blocks")] == sorted((b.bytes for b in t.table("blocks", heap="*")), reverse=True)
try:
    t.table("colours")
    raise AssertionError("there are no colours")
except memkit.RequestError as e:
    assert "there is no table 'colours'; tables: events, " in str(e), e
programs, arrays = memkit.open(jax).programs(), memkit.open(jax).arrays()
assert [(p.program, p.plans, p.plan_call_bytes) for p in programs] == [("jit_step", 2, 8000), ("jit_small", 1, None)]
assert [(a.mark, a.name, a.bytes) for a in arrays][2] == ("second", "int8[2000]", 2000)
check(jax, "programs", programs)
check(jax, "arrays", arrays)
check(path, "lines", t.stacks(at="3.45s", group_by="line", heap="torch.*"), "--at=3.45s", "--heap=torch.*")

# Where rows come from.
file = dump(path, "heaps", "parquet")
assert duckdb.sql(f"select distinct host, rank, process from '{file}'").fetchall() == [("node7", 3, 100)]
facts = parquet.read_metadata(file).metadata
assert facts[b"memkit.host"] == b"node7", facts

# Intervals: the last rows of each stack are what lives at the end.
file = dump(path, "intervals", "parquet")
last = duckdb.sql(f"""select heap, sum(live_bytes) from (select heap, stack, arg_max(live_bytes, end_ns) as live_bytes
                      from '{file}' group by heap, stack) group by heap order by heap""").fetchall()
assert last == sorted((h.heap, h.live_bytes) for h in t.heaps), last

# More than one group of rows, with ranges that a reader may skip by.
file = check(large, "events", memkit.open(large).events(columns=every))
meta = parquet.read_metadata(file)
assert meta.num_row_groups == 2 and meta.num_rows == 1200000
times = [meta.row_group(g).column(1).statistics for g in range(2)]
assert 0 <= times[0].min < times[0].max <= times[1].min < times[1].max
