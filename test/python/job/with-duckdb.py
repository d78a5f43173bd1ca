# DuckDB reads the ranks of a job from Parquet files, one a trace, and finds what memstat finds.
#
# REQUIRES: duckdb, libmemkit
# RUN: rm -rf %t && %python %src_root/utils/genjob/genjob --ranks=24 --stacks=40 --steps=30 --seed=5 -o %t
# RUN: for f in %t/*.fb; do memdump --table=ranks --format=parquet "$f" -o "$f.parquet" 2> /dev/null || exit 1; done
# RUN: memstat --format=json %t > %t.json
# RUN: env PYTHONPATH=%src_root/.cache/readers %python %s %t %t.json
import json
import sys

import duckdb

folder, report = sys.argv[1:]
ranks = json.load(open(report))["ranks"]
assert len(ranks) == 24
rows = duckdb.sql(f"select rank, host, host_peak_bytes, device_peak_bytes, device_growth_per_step, steps "
                  f"from '{folder}/*.parquet' order by rank").fetchall()


def device(rank):
    spaces = rank["spaces"][1:]
    return max(spaces, key=lambda space: space["peak_bytes"]) if spaces else {}


assert rows == [(rank["rank"], rank["host"], rank["spaces"][0]["peak_bytes"], device(rank).get("peak_bytes"),
                 device(rank).get("growth_bytes_per_step"), rank["steps"]) for rank in ranks], rows
[(highest, sums)] = duckdb.sql(f"select max(device_peak_bytes), sum(rss_peak_bytes) from '{folder}/*.parquet'").fetchall()
assert highest == max(device(rank).get("peak_bytes", 0) for rank in ranks)
assert sums == sum(rank["rss_peak_bytes"] for rank in ranks)
