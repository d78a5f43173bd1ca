# pyarrow's strings, and polars' columns: blocks of the allocators in their libraries, with lines; the heap's peak is
# the pool's own.
#
# REQUIRES: pyarrow, polars
# The first run plans the detours, which may take longer than a program waits.
# RUN: memrec -q --force -o %t.fb -- %readers %s
# RUN: memrec -q --force -o %t.fb -- %readers %s > %t.said
# RUN: memdump --check %t.fb
# RUN: memdump --table=heaps --format=json %t.fb > %t.json
# RUN: %readers %s %t.json < %t.said
# RUN: memdump --table=lines --heap='private.*' %t.fb | FileCheck %s
# CHECK: private.mimalloc@libarrow{{ +}}arrow.py:[[#]] strings
import json
import sys


def strings():
    import pyarrow
    array = pyarrow.array(["name %09d" % i for i in range(500000)])
    pool = pyarrow.default_memory_pool()
    print(pool.backend_name, pool.max_memory(), flush=True)
    return array


def integers():
    import polars
    frame = polars.DataFrame({"a": range(4)})
    return frame.select(polars.lit(7).repeat_by(1000000).explode().alias("a"))


def check(heaps, backend, peak):
    arrow = heaps["private.%s@libarrow" % backend]
    if abs(arrow["peak_bytes"] - int(peak)) > int(peak) / 100:
        sys.exit("the pool's peak is %s: %s" % (peak, arrow))
    polars = heaps["private.jemalloc@_polars_runtime"]
    if not 4000000 <= polars["peak_bytes"] < 100000000:
        sys.exit("polars: %s" % polars)


if len(sys.argv) > 1:
    with open(sys.argv[1]) as file:
        check({heap["heap"]: heap for heap in json.load(file)["heaps"]}, *sys.stdin.read().split()[:2])
else:
    kept = strings(), integers()
