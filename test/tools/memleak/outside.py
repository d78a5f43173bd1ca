# Mapped files are outside of the totals, and no finding has them: memleak says that they grow, and how to see where.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb 2>/dev/null | FileCheck %s
# RUN: memleak -v --kind=growth %t.fb 2>/dev/null | FileCheck %s --check-prefix=LONG
# RUN: memleak --kind=growth --format=json %t.fb | FileCheck %s --check-prefix=JSON
# RUN: memleak --kind=growth --heap=host.file %t.fb 2>/dev/null | FileCheck %s --check-prefix=FILE
#
# CHECK: Nothing grows (measured:
# CHECK-NEXT: host.file grows, outside of the totals: +3.{{[0-9]+}} MiB per second, {{[67].*}} MiB so far, most at lookup.c:11 lookup: memleak --heap=host.file
# LONG: nothing grows (measured:
# LONG-NEXT: host.file grows, outside of the totals
# JSON: "outside": [
# JSON-NEXT: {
# JSON-NEXT: "heap": "host.file",
# JSON-NEXT: "bytes_per_second": {{[0-9]+}},
# JSON-NEXT: "growth_bytes": {{[0-9]+}},
# JSON-NEXT: "line": "lookup.c:11 lookup"
# FILE: grows lookup.c:11 lookup
# FILE-NOT: outside of the totals
print("""header command=["./lookup"]
dictionary
  process 1 pid=1 exe="/bin/lookup"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="host.file" flags=1
  stack 1 main@/home/me/lookup.c:20 > work@/home/me/lookup.c:5 > malloc
  stack 2 main@/home/me/lookup.c:20 > lookup@/home/me/lookup.c:11 > mmap
events process=1""")
block = 0
for tick in range(200):
    at = tick * 10_000_000 + 1000
    print(f"  {at} th1 alloc #{block} heap=1 stack=1 size=5000")
    work = block
    block += 1
    if tick % 7 == 6:
        print(f"  {at + 100} th1 alloc #{block} heap=2 stack=2 size=262144")
        block += 1
    print(f"  {at + 200} th1 free #{work}")
print("complete")
