# The trace has what memrec itself takes, each second: its memory and its processor time, not the
# program's.
#
# RUN: %python %s %t.fb
import json
import os
import subprocess
import sys

trace = sys.argv[1]
program = "import time\nkeep = [bytearray(b'1') * (300 << 20)]\nend = time.time() + 2.6\nwhile time.time() < end: keep.append([])"
child = subprocess.Popen(["memrec", "-q", "-o", trace, "--", sys.executable, "-c", program])
_, status, used = os.wait4(child.pid, 0)
assert status == 0
own = json.loads(subprocess.check_output(["memstat", "--format=json", trace]))["recorder"]
assert own["samples"] >= 2 and own["until_ns"] >= 1_900_000_000, own
# Below the 300 MiB of the program, and no more than all of them together took.
assert 1 << 20 < own["resident_peak_bytes"] < 300 << 20, own
assert 0 < own["processor_ns"] < (used.ru_utime + used.ru_stime) * 1e9, (own, used)
rows = json.loads(subprocess.check_output(["memdump", "--table=series", "--format=json", trace]))
rows = rows if isinstance(rows, list) else rows["rows"] if "rows" in rows else rows["series"]
points = [r["bytes"] for r in rows if r["of"] == "memrec"]
assert len(points) == own["samples"] and max(points) == own["resident_peak_bytes"], points
text = subprocess.check_output(["memstat", "--show=resident", trace], text=True)
assert "memrec itself: " in text, text
assert b"memrec resident" in subprocess.check_output(["memflame", "--format=perfetto", trace])
