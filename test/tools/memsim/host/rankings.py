# The first line ranks by the peak and by what is left at the end, as the table has them: with a threshold for trimming
# above all memory, glibc keeps at the end what it needed at the peak.
#
# RUN: %python %s %t
import re
import subprocess
import sys

trace = sys.argv[1] + ".fb"
text = ["header", "dictionary", '  process 1 pid=1 exe="p"', "  thread 1 process=1 tid=1", '  heap 1 name="host.malloc"', "  stack 1 main",
        "events process=1"]
text += [f"  {1000 * i} th1 alloc #{i} heap=1 stack=1 size=20000" for i in range(1000)]
text += [f"  {1000 * (1000 + i)} th1 free #{i}" for i in range(1000)]
subprocess.run(["memas", "-", "-o", trace], input="\n".join([*text, "complete"]), text=True, check=True)


def answer(*allocators):
    said = subprocess.run(["memsim", *(f"--with={a}" for a in allocators), trace], check=True, capture_output=True, text=True).stdout
    lines = said.splitlines()
    ends = {row[0]: row for line in lines[2:] if (row := re.split(r"  +", line.strip()))[0] in allocators}
    return lines[0], ends


KEEPS = "glibc:trim_threshold=1073741824"
first, rows = answer("glibc", KEEPS)
assert "MiB" in rows[KEEPS][4] and "KiB" in rows["glibc"][4], rows
least = re.search(r"least with (\S+), ", first)[1]
if least == "glibc":
    assert first.endswith(f"; and least at the end, {rows['glibc'][4]}"), first
else:
    assert first.endswith(f"; least at the end with glibc, {rows['glibc'][4]} resident, where {KEEPS} keeps {rows[KEEPS][4]}"), first
# With one allocator there is nothing to rank at the end.
assert "at the end" not in answer("glibc")[0]
