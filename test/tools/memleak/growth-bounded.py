# Caches that fill up to a bound of their own are no leak, as long as their blocks may all be
# within the bound, which -v names; the same functions leak where they keep more. The pages of
# V8's heap never are a leak, since a garbage collector frees them.
#
# RUN: %python %s 60 > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak -v --kind=growth %t.fb | FileCheck %s
# RUN: memleak --kind=growth --format=json %t.fb > %t.json
# RUN: %python -c "import json; [print(f['verdict'], f['blocks'], f['bounded_by']) for f in json.load(open('%t.json'))['findings']]" | sort | FileCheck %s --check-prefix=JSON
# RUN: %python %s 300 > %t.more.mas && memas --summarize %t.more.mas -o %t.more.fb
# RUN: memleak --kind=growth --top=0 %t.more.fb | FileCheck %s --check-prefix=MORE
#
# CHECK-NOT: LEAK
# CHECK: {{^}}grows +
# CHECK: CPython's free list of floats, of 100
#
# JSON: grows 59 CPython's free list of floats, of 100
# JSON-NEXT: grows 59 CPython's free lists of tuples, of 2,000 for each size
# JSON-NEXT: grows 59 pages of V8's heap, which its garbage collector frees
# JSON-NEXT: grows 59 torch.multiprocessing's shared_cache, of at least 128 entries
#
# Below one line, all of them are one finding, of which the cache of one stack says nothing.
# RUN: sed -E 's/(stack [1-4]) [a-z]+@/\1 main@/; s/(stack [1-4]) main@([^:]*):2./\1 main@\2:20/' %t.more.mas > %t.one.mas
# RUN: memas --summarize %t.one.mas -o %t.one.fb
# RUN: memleak --kind=growth %t.one.fb | FileCheck %s --check-prefix=ONE
#
# MORE-DAG: {{^}}LEAK{{ +}}train.py:5 ratio +1000 B per step
# MORE-DAG: {{^}}LEAK{{ +}}train.py:8 send +1000 B per step
# MORE-DAG: {{^}}grows{{ +}}train.py:3 pair +1000 B per step
# MORE-DAG: {{^}}grows{{ +}}train.py:11 evaluate +1000 B per step
#
# ONE: {{^}}LEAK{{ +}}train.py:20 main +3.91 KiB per step
import sys

steps = int(sys.argv[1])
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="train.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 pairs@/home/me/train.py:20 > pair@/home/me/train.py:3 > PyTuple_New > malloc
  stack 2 ratios@/home/me/train.py:21 > ratio@/home/me/train.py:5 > PyFloat_FromDouble > malloc
  stack 3 sends@/home/me/train.py:22 > send@/home/me/train.py:8 > reduce_storage@/usr/lib/python3.11/site-packages/torch/multiprocessing/reductions.py:400 > malloc
  stack 4 evaluates@/home/me/train.py:23 > evaluate@/home/me/train.py:11 > v8::internal::MemoryAllocator::AllocatePage > mmap
  stack 5 main@/home/me/train.py:20 > read@/home/me/train.py:14 > malloc
events process=1""")
ms = 1_000_000
block = 0
for step in range(1, steps + 1):
    at = step * ms
    print(f"  {at + 100} th1 alloc #{block} heap=1 stack=5 size=50000")
    print(f"  {at + 200} th1 free #{block}")
    for stack in 1, 2, 3, 4:
        block += 1
        print(f"  {at + 200 + 100 * stack} th1 alloc #{block} heap=1 stack={stack} size=1000")
    block += 1
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * ms} step process=1 id={step}")
print("complete")
