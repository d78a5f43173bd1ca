# Growth of several lines below one: memleak names the lines and functions that have the bytes, and gives none of
# them what the others have.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb 2>/dev/null | FileCheck %s
# RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT
#
# CHECK: {{^}}grows pipe.py:20 <module> {{.*}} 20.5 MiB in 6 blocks so far
# CHECK: allocated by: pipe.py:16 main 5.86 MiB, pipe.py:15 main 4.88 MiB, pipe.py:14 main 3.91 MiB, pipe.py:13 main 2.93 MiB, ...
# CHECK-NEXT: holds: bytearray_new 11.7 MiB, bytes_new 8.79 MiB
# STAT: grows {{.*}} per second: pipe.py:16 main and {{[45]}} other lines, called by pipe.py:20 <module>
print("""header command=["python" "pipe.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="pipe.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc\"""")
for stage in range(6):
    kind = "bytearray_new" if stage % 2 else "bytes_new"
    line = 11 + stage
    print(f'  stack {stage + 1} <module>@/home/me/pipe.py:20 > main@/home/me/pipe.py:{line} > {kind} > malloc')
print("  stack 7 <module>@/home/me/pipe.py:20 > work@/home/me/pipe.py:5 > malloc")
print("events process=1")
block = 0
for tick in range(200):
    at = tick * 10_000_000 + 1000
    print(f"  {at} th1 alloc #{block} heap=1 stack=7 size=5000")
    work = block
    block += 1
    if tick % 30 == 29:
        stage = tick // 30
        print(f"  {at + 100} th1 alloc #{block} heap=1 stack={stage + 1} size={(stage + 1) * 1024_000}")
        block += 1
    print(f"  {at + 200} th1 free #{work}")
print("complete")
