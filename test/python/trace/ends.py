# What processes had when each ended may be more than ever lived at a time: it is not called live memory.
#
# RUN: memas --summarize %src_root/test/tools/memstat/ends.mas -o %t.fb
# RUN: %python %s %t.fb
import sys

import memkit

trace = memkit.open(sys.argv[1])
for row in [*trace.heaps, *trace.spaces]:
    assert (row.live_bytes, row.live_at_exits_bytes, row.peak_bytes) == (None, 200, 100), row
assert [process.live_bytes for process in trace.processes] == [100, 100]
