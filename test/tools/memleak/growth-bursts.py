# A job of each night keeps memory, with quiet between: it leaks, whether the program serves
# requests in the day or does nothing. The same in one night is a load.
#
# RUN: %python %s 8 served > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s
# RUN: %python %s 8 quiet > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s
# RUN: %python %s 5 served > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=FIVE
# RUN: %python %s 1 served > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=ONCE
# CHECK: {{^}}LEAK report.py:7 nightly +{{.*}} per second, {{.*}} blocks so far
# CHECK-NEXT: since {{.*}}; other memory comes back to its level in {{[0-9]+}} rounds; called by report.py:21 main
# CHECK-NOT: {{^(LEAK|grows|grew) }}
# CHECK: Nothing else grows
# FIVE: {{^}}LEAK report.py:7 nightly +{{.*}} per second, {{.*}} blocks so far
# FIVE-NEXT: since {{.*}}; in 5 bursts; called by report.py:21 main
# ONCE-NOT: {{^(LEAK|grows) }}
# ONCE: Nothing grows
import sys

nights, day = int(sys.argv[1]), sys.argv[2]
print("""header command=["python" "report.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main@/home/me/report.py:20 > request@/home/me/report.py:4 > malloc
  stack 2 main@/home/me/report.py:21 > nightly@/home/me/report.py:7 > malloc
  stack 3 main@/home/me/report.py:21 > nightly@/home/me/report.py:8 > malloc
events process=1""")
block, minute = 0, 60_000_000_000


def temporary(at, stack, size):
    global block
    print(f"  {at} th1 alloc #{block} heap=1 stack={stack} size={size}")
    print(f"  {at + 1000} th1 free #{block}")
    block += 1


for at in range(0, 8 * 24 * 60, 10):  # each ten minutes of eight days
    number, hour = at // (24 * 60), at // 60 % 24
    if day == "served":
        temporary(at * minute, 1, 20000)
    if hour == 3 and number >= 8 - nights:
        print(f"  {at * minute + 2000} th1 alloc #{block} heap=1 stack=2 size=20000")
        block += 1
        temporary(at * minute + 3000, 3, 300000)
temporary(8 * 24 * 60 * minute, 1, 20000)
print("complete")
