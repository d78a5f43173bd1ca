# One line, several stacks. The interpreter calls a function in another way once it has run some times: that is the same
# growth. A line that grows a container and hands out other blocks still grows the container.
#
# RUN: %python %s ways > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=WAYS
# RUN: %python %s buffer > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=BUFFER
# WAYS: LEAK  train.py:5 g  +48.4 KiB per step, 5.63 MiB in 59 blocks so far
# BUFFER: grows  train.py:7 forward  +16 KiB per step, 1.84 MiB in 1 block so far
# BUFFER-NOT: {{^(LEAK|grows)}}
import sys

what, steps, ms = sys.argv[1], 120, 1_000_000
call = "<module>@/home/me/train.py:8 > f@/home/me/train.py:7 > python3.11!%s@c.c:1 > g@/home/me/train.py:5 > malloc"
forward = "<module>@/home/me/train.py:12 > forward@/home/me/train.py:7"
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 <module>@/home/me/train.py:4 > malloc""")
stacks = {"ways": (call % "builtin_next", call % "cfunction_vectorcall"),
          "buffer": (forward, forward + " > run@/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:3")}[what]
print("\n".join(f"  stack {i + 2} {stack}" for i, stack in enumerate(stacks)))
print("events process=1")
print("  100 th1 alloc #0 heap=1 stack=1 size=40000000")
block, kept, out = 0, None, None
for step in range(steps):
    at = step * ms + 1000
    if what == "ways":
        if step % 2:
            block += 1
            print(f"  {at} th1 alloc #{block} heap=1 stack={2 if step < 14 else 3} size=100000")
        continue
    block += 2
    print(f"  {at} th1 alloc #{block - 1} heap=1 stack=2 size={16384 * (step + 1)}")
    if kept:
        print(f"  {at + 100} th1 free #{kept}")
    kept = block - 1
    print(f"  {at + 200} th1 alloc #{block} heap=1 stack=3 size=131072")
    if out:
        print(f"  {at + 300} th1 free #{out}")
    out = block
    if step % 7 == 3:
        print(f"  {at + 400} th1 free #{out}")
        out = None
print("marks")
for step in range(steps):
    print(f"  {step * ms} step process=1 id={step}")
print("complete")
