# JSON has all samples of resident memory up to a bound; of more samples those of alerts, and the
# higher one of each few others.
#
# REQUIRES: python
# RUN: %python %s make 1000 | memas --summarize - -o %t.few.fb
# RUN: memstat --format=json %t.few.fb | %python %s check 1000 1000
# RUN: %python %s make 9000 | memas --summarize - -o %t.many.fb
# RUN: memstat --format=json %t.many.fb | %python %s check 1025 2048

import json
import sys

ALERT, HIGHEST = 501, 777

if sys.argv[1] == "make":
    print('header command=["/srv/server"]\ndictionary\n  process 1 pid=7 exe="/srv/server"\nmarks')
    for i in range(1, int(sys.argv[2]) + 1):
        bytes = 10**9 if i == HIGHEST else 10**6 + i
        flags = f" id={4}" if i == ALERT else ""
        print(f"  {1000 * i} resident process=1{flags} values=[{bytes} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4096]")
    print("complete")
else:
    of = json.load(sys.stdin)["resident"][0]
    samples = of["samples"]
    least, most = map(int, sys.argv[2:])
    assert least <= len(samples) <= most, len(samples)
    times = [s["time_ns"] for s in samples]
    assert times == sorted(times)
    assert [s["time_ns"] for s in samples if s["alert"]] == [1000 * ALERT]
    assert max(s["parts"]["malloc"] for s in samples) == 10**9
    # A part that came later lies behind the other values of the mark.
    assert all(s["parts"]["pinned"] == 4096 for s in samples)
    assert of["highest"]["bytes"] == 10**9 + 4096
