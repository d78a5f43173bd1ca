# Functions below each other that all keep something: what is not certain is told once, with the bytes of the
# innermost function that has nearly all of them.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s
# RUN: memleak --kind=growth --format=json %t.fb | FileCheck %s --check-prefix=JSON --implicit-check-not='"kind"'
#
# CHECK: {{^}}grows{{ +}}table.cpp:5 append +{{.*}} per second, 87.2 MiB in 349 blocks so far
# JSON: "kind": "growth"
# JSON: "growth_bytes": 91488256
print("""header command=["table"]
dictionary
  process 1 pid=1 exe="/usr/bin/table" role="table"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main@/home/me/table.cpp:9 > insert@/home/me/table.cpp:5
  stack 2 main@/home/me/table.cpp:9 > insert@/home/me/table.cpp:5 > execute@/home/me/table.cpp:5
  stack 3 main@/home/me/table.cpp:9 > insert@/home/me/table.cpp:5 > execute@/home/me/table.cpp:5 > sink@/home/me/table.cpp:5
  stack 4 main@/home/me/table.cpp:9 > insert@/home/me/table.cpp:5 > execute@/home/me/table.cpp:5 > sink@/home/me/table.cpp:5 > append@/home/me/table.cpp:5
events process=1""")
ms = 1_000_000
block = 0
for at in range(1, 700):
    for stack in 1, 2, 3:
        print(f"  {at * ms + stack * 10000} th1 alloc #{block} heap=1 stack={stack} size=100")
        if not (at > 350 and at % 20 == stack):
            print(f"  {at * ms + stack * 10000 + 4000} th1 free #{block}")
        block += 1
    if at > 350:
        print(f"  {at * ms + 90000} th1 alloc #{block} heap=1 stack=4 size=262144")
        block += 1
print("marks")
print(f"  {701 * ms} process-end process=1 values=[0 0]")
print("complete")
