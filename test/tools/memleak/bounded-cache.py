# A functools.lru_cache(maxsize) that fills: its table grows with it. memleak does not call it a leak, because a bound
# is there, whatever it is. Without a growing table the cached function leaks elsewhere.
#
# RUN: %python %s fills > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s
# RUN: %python %s leaks > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=LEAKS
#
# CHECK: {{^}}grows serve.py:11 render
# CHECK: may fill a functools.lru_cache, up to its maxsize
# CHECK-NOT: LEAK
# LEAKS: {{^}}LEAK serve.py:11 render
# LEAKS-NOT: may fill
import sys

print("""header command=["python" "serve.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="serve.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 <module>@/home/me/serve.py:30 > serve@/home/me/serve.py:15 > bounded_lru_cache_wrapper > render@/home/me/serve.py:11 > bytes_new > malloc
  stack 2 <module>@/home/me/serve.py:30 > serve@/home/me/serve.py:15 > bounded_lru_cache_wrapper > insertdict > malloc
events process=1""")
steps, block, table, size = 60, 0, None, 1024
for step in range(1, steps + 1):
    at = step * 1_000_000
    print(f"  {at + 1000} th1 alloc #{block} heap=1 stack=1 size=20000")
    block += 1
    if sys.argv[1] == "fills" and step % 8 == 0:
        size *= 2
        print(f"  {at + 2000} th1 alloc #{block} heap=1 stack=2 size={size}")
        if table is not None:
            print(f"  {at + 3000} th1 free #{table}")
        table = block
        block += 1
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * 1_000_000} step process=1 id={step}")
print("complete")
