# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | memas --summarize -o b-leaks.fb
# RUN: cd %t && %python %s all-freed | memas --summarize -o a-steady.fb
# RUN: cd %t && memstat b-leaks.fb a-steady.fb | FileCheck %s
# RUN: cd %t && memstat --format=json b-leaks.fb a-steady.fb | FileCheck %s --check-prefix=JSON
# RUN: cd %t && memstat --no-growth b-leaks.fb a-steady.fb | FileCheck %s --check-prefix=NONE
#
# The table of several traces has growth without steps, too: per second, as memleak says
# it. The rows stand in the order of the command line.
#
# CHECK:      host peak{{.*}}growth
# CHECK-NEXT: b-leaks.fb {{.*}}  +2.94 KiB per second
# CHECK-NEXT: a-steady.fb
# CHECK-NOT:  per second
# JSON: "leak_bytes_per_second": 30
# JSON: "leak_bytes_per_second": 0,
# NONE-NOT: growth
#
# In each tenth of a second three blocks of 100 bytes stay, and twenty of 10,000 do not.

import sys

FREES_ALL = len(sys.argv) > 1
print("""header command=["./a"]
dictionary
  process 1 pid=1 exe="/bin/a" start=0
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main > keep > malloc
  stack 2 main > use > malloc
events process=1""")
block = 0
for tenth in range(100):
    at = tenth * 100_000_000
    for n in range(20):
        print(f"  {at + n * 1_000_000} th1 alloc #{block} heap=1 stack=2 size=10000")
        print(f"  {at + n * 1_000_000 + 500_000} th1 free #{block}")
        block += 1
    for n in range(3):
        print(f"  {at + 30_000_000 + 1000 * n} th1 alloc #{block} heap=1 stack=1 size=100")
        if FREES_ALL:
            print(f"  {at + 30_000_100 + 1000 * n} th1 free #{block}")
        block += 1
print("""marks
  10000000000 process-end process=1
complete""")
