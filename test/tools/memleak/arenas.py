# Arenas that imports need are the imports' memory and do not grow, each import needs its arenas once; arenas that the
# user's own code needs do, also below an import of the user's code, and in a package whose name is like the import
# system's. Beside them, blocks of 20 times their size come and go.
#
# RUN: %python %s import > %t.mas && memas --summarize %t.mas -o %t.fb && memleak %t.fb | FileCheck %s --check-prefix=IMPORT
# RUN: %python %s own > %t.mas && memas --summarize %t.mas -o %t.fb && memleak %t.fb | FileCheck %s --check-prefix=OWN
# RUN: %python %s below > %t.mas && memas --summarize %t.mas -o %t.fb && memleak %t.fb | FileCheck %s --check-prefix=OWN
# RUN: %python %s named > %t.mas && memas --summarize %t.mas -o %t.fb && memleak %t.fb | FileCheck %s --check-prefix=OWN
# IMPORT-NOT: LEAK
# IMPORT: Nothing grows
# OWN: LEAK  Python arenas
import sys

count, ms = 40, 1_000_000
load = "load@/usr/lib/python3.11/importlib/_bootstrap.py:9"
between = {"import": f"{load} > <module>@/usr/lib/python3/dist-packages/lib%d/__init__.py:1",
           "own": "step@/home/me/train.py:%d",
           "named": "read@/usr/lib/python3/dist-packages/importlib_metadata/__init__.py:%d",
           "below": f"{load} > step@/home/me/train.py:%d"}[sys.argv[1]]
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="host.mmap\"""")
for i in range(1, count + 1):
    print(f"  stack {i} <module>@/home/me/train.py:3 > {between % i} > python3.11!new_arena@o.c:2 > mmap")
print(f"  stack {count + 1} <module>@/home/me/train.py:4 > read@/home/me/train.py:50 > malloc")
print("events process=1")
for i in range(count):
    print(f"  {i * 100 * ms} th1 alloc #{2 * i} heap=2 stack={i + 1} size=1048576")
    print(f"  {i * 100 * ms + 100} th1 alloc #{2 * i + 1} heap=1 stack={count + 1} size={20 * 1048576}")
    print(f"  {i * 100 * ms + 200} th1 free #{2 * i + 1}")
print(f"  {count * 100 * ms} th1 alloc heap=1 stack=1 size=8")
print("complete")
