# A growing table of Python's objects lies in a growing block of malloc: one finding, of the object.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb 2>/dev/null | FileCheck %s
# RUN: memleak --kind=growth --format=json %t.fb 2>/dev/null | FileCheck %s --check-prefix=JSON
#
# CHECK: {{^}}grows fill.py:5 <module> {{.*}} 9.77 MiB in 1 block so far
# CHECK: Nothing else grows
# JSON: "heap": "python.object",
# JSON-NOT: "heap": "host.malloc",
# JSON: "growth": {
print("""header command=["python" "fill.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="fill.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="host.mmap"
  heap 3 name="python.object" parent=2
  stack 1 <module>@/home/me/fill.py:5 > insertdict > new_keys_object > malloc
  stack 2 <module>@/home/me/fill.py:5 > insertdict > new_keys_object > PyObject_Malloc
events process=1""")
block, last = 0, None
for tick in range(100):
    at = tick * 20_000_000 + 1000
    size = (tick + 1) * 102_400
    # The block of malloc is there a moment before the object in it.
    print(f"  {at} th1 alloc #{block} heap=1 stack=1 size={size}")
    print(f"  {at + 100} th1 alloc #{block + 1} heap=3 stack=2 size={size} in=#{block}")
    if last is not None:
        print(f"  {at + 200} th1 free #{last + 1}")
        print(f"  {at + 300} th1 free #{last}")
    last = block
    block += 2
print("complete")
