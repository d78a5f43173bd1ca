# docs/Library.md lists the columns that there are.
#
# RUN: memas --summarize %training -o %t.fb
# RUN: %python %s %t.fb %src_root/docs/Library.md
import re
import sys

import memkit

t = memkit.open(sys.argv[1])
every = t.events(columns="time_ns process rank thread kind block size heap stack scope layer".split())
tables = {"run": t.run, "processes": t.processes, "ranks": t.ranks, "spaces": t.spaces, "heaps": t.heaps,
          "threads": t.threads(), "steps": t.steps(), "layers": t.layers(),
          "operators": t.operators(), "kernels": t.kernels(), "programs": t.programs(), "arrays": t.arrays(), "scopes": t.scopes,
          "categories": t.categories(), "ooms": t.ooms, "stacks": t.stacks(), "frames": t.frames(),
          "events": every, "leaks": t.leaks(), "series": t.series(), "diff": memkit.diff(t, t)}
said = dict(re.findall(r"^- \*\*(\w+)\*\*: ([a-z_, ]+)$", open(sys.argv[2]).read(), re.M))
assert {name: ", ".join(table.columns) for name, table in tables.items()} == said
