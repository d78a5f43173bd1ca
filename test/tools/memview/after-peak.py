# The curves have no hole behind the peak: what the peak held, and is still there when values are known again, at
# the end of the step or at the next sample, was there between the two.
#
# RUN: %python %s make | memas --summarize - -o %t.fb
# RUN: %python %s check %t.fb | FileCheck %s
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

# The peak is in the second step, when keep() gets its block beside that of once(). Before the step ends, another
# process changes its memory, and the block of early() is freed.
if sys.argv[1] == "make":
    print("""header command=["/bin/a"]
dictionary
  process 1 pid=1 exe="/bin/a"
  process 2 pid=2 exe="/bin/b"
  thread 1 process=1 tid=1
  thread 2 process=2 tid=2
  heap 1 name="host.malloc"
  stack 1 a!main@a.c:1 > malloc
  stack 2 a!once@a.c:2 > malloc
  stack 3 a!keep@a.c:3 > malloc
  stack 4 b!main@b.c:4 > malloc
  stack 5 a!early@a.c:5 > malloc
events process=1
   100000000 th1 alloc #0 heap=1 stack=1 size=10000000
   100000000 th1 alloc #1 heap=1 stack=5 size=1000000
  2600100000 th1 alloc #2 heap=1 stack=2 size=5000000
  2600300000 th1 alloc #3 heap=1 stack=3 size=20000000
  2600500000 th1 free #2
  3800000000 th1 free #1
  4500000000 th1 free #3
events process=2
   200000000 th2 alloc #0 heap=1 stack=4 size=1000000
  3000000000 th2 alloc #1 heap=1 stack=4 size=1000
marks
  1000000000 step process=1 id=1
  2000000000 step process=1 id=2
  4000000000 step process=1 id=3
  5000000000 process-end process=1 values=[0]
  5000000000 process-end process=2 values=[0]
complete""")
    sys.exit()

peak, free = 2_600_300_000, 4_500_000_000
with Served(sys.argv[2]) as S:
    assert S.ask("start")["spaces"][0]["peak_ns"] == peak
    # CHECK: "": peak True, then True, sums True
    # CHECK-NEXT: "heap": peak True, then True, sums True
    # CHECK-NEXT: "line": peak True, then True, sums True
    # CHECK-NEXT: "library": peak True, then True, sums True
    # CHECK-NEXT: "process": peak True, then True, sums True
    # CHECK-NEXT: "thread": peak True, then True, sums True
    # CHECK-NEXT: "category": peak True, then True, sums True
    # CHECK-NEXT: "scope": peak True, then True, sums True
    for by in ("", "heap", "line", "library", "process", "thread", "category", "scope"):
        c = S.ask("curves?columns=4000&by=%s&from=%d&to=%d" % (by, peak, free - 10_000_000))
        total = c["total"]
        sums = [sum(values) for values in zip(*(one["values"] for one in c["series"]))] if by else total
        print('"%s": peak %s, then %s, sums %s' % (
            by, total[0] == 37_000_000, set(total[1:]) == {32_000_000, 32_001_000, 31_001_000} or set(total), sums == total))
