# A place that only grew in the baseline, and now leaks, is new; one that leaked already is not,
# and neither is one that grows in both.
#
# RUN: %python %s grows > %t.grows.mas && memas --summarize %t.grows.mas -o %t.grows.fb
# RUN: %python %s leak > %t.leak.mas && memas --summarize %t.leak.mas -o %t.leak.fb
# RUN: memleak --kind=growth %t.grows.fb | FileCheck %s --check-prefix=GROWS
# RUN: not memleak --kind=growth --baseline=%t.grows.fb --fail-on=growth %t.leak.fb | FileCheck %s --check-prefix=NEW
# RUN: memleak --kind=growth --baseline=%t.leak.fb --fail-on=growing %t.leak.fb | FileCheck %s --check-prefix=SAME
# RUN: memleak --kind=growth --baseline=%t.leak.fb --fail-on=growing %t.grows.fb | FileCheck %s --check-prefix=SAME
#
# GROWS: {{^}}grows  train.py:8 log
# NEW: {{^}}LEAK  train.py:8 log
# SAME-NOT: train.py:8
# SAME: in the baseline: 1 finding
import sys

# With too few steps, time is the clock, and nothing shows that the program repeats itself.
steps = 60 if sys.argv[1] == "leak" else 0
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="train.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main@/home/me/train.py:3 > log@/home/me/train.py:8 > malloc
  stack 2 main@/home/me/train.py:3 > read@/home/me/train.py:14 > malloc
events process=1""")
rounds, ms = 60, 100_000_000
for i in range(rounds):
    at = (i + 1) * ms
    print(f"  {at + 100} th1 alloc #{2 * i} heap=1 stack=2 size=1000")
    print(f"  {at + 200} th1 alloc #{2 * i + 1} heap=1 stack=1 size=1000")
    print(f"  {at + 300} th1 free #{2 * i}")
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * ms} step process=1 id={step}")
print("complete")
