# Spark makes the rows of a job's ranks, and merges its traces, to what this machine makes of them; also
# when a worker dies.
#
# REQUIRES: spark, libmemkit
# RUN: rm -rf %t %t.bin && %python %src_root/utils/genjob/genjob --ranks=24 --stacks=40 --steps=30 --seed=5 -o %t
# RUN: echo hello > %t/notes.fb
# RUN: env PYTHONPATH=%obj_root/share/memkit/python:%packages_of_spark PYSPARK_PYTHON=%python %python %s %t %t.fb
import os
import pathlib
import shutil
import sys
import warnings

import memkit
import memkit.job
from pyspark.sql import SparkSession

folder, out = sys.argv[1:]
warnings.simplefilter("ignore")


def plain(row):
    return {name: value for name, value in row.items() if name not in ("trace", "error")}


def make_deadly(folder):
    """A memmerge that kills the worker at its first call."""
    folder.mkdir()
    script = folder / "memmerge"
    script.write_text(f"#!/bin/sh\nmkdir {folder}/died 2> /dev/null && kill -9 $PPID && exit\n"
                      f"exec {shutil.which('memmerge')} \"$@\"\n")
    script.chmod(0o755)
    return folder


deadly = make_deadly(pathlib.Path(folder + ".bin"))
os.environ["MEMKIT_BIN"] = str(deadly)
# Two tasks at a time, each at most four times.
settings = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
spark = settings.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
frame = memkit.job.ranks_with_spark(spark, folder + "/*.fb", 4)
found = [row.asDict() for row in frame.orderBy("rank").collect()]
highest = frame.groupBy("host").max("device_peak_bytes").collect()
merged = memkit.job.merge_with_spark(spark, folder + "/*.fb", 6, depth=3)
spark.stop()
del os.environ["MEMKIT_BIN"]
assert (deadly / "died").exists()

bad = [row for row in found if row["error"]]
assert len(bad) == 1 and "notes.fb: not a memkit trace" in bad[0]["error"], bad
assert len(merged.unread) == 1 and "notes.fb" in merged.unread[0], merged.unread
one = []
for path in sorted(pathlib.Path(folder).glob("rank-*.fb")):
    one += memkit.open(path).ranks.to_dicts()
one.sort(key=lambda row: row["rank"])
assert [plain(row) for row in found if not row["error"]] == one, (found[-1], one[-1])
assert len(highest) == 4, highest  # three machines, and the row of the trace that is none
merged.write(out)
assert memkit.open(out).ranks.to_dicts() == one
