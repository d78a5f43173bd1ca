# A tensor lies in a block of malloc, which has the tensor's stack and the same bytes: one
# finding, of the tensors. Blocks of malloc that leak beside are another.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak -v --kind=growth %t.fb | FileCheck %s --check-prefix=ONE
# RUN: memleak --kind=growth %t.fb | FileCheck %s
# RUN: %python %s beside > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak -v --kind=growth %t.fb | FileCheck %s --check-prefix=TWO
#
# CHECK: {{^}}LEAK train.py:9 validate +9.77 KiB per step, 283 KiB in 29 blocks so far
# CHECK-NOT: {{^(LEAK|grows|grew) }}
# ONE: 1 place grows, by 9.77 KiB per step (measured: steps 1 to 29)
# ONE: {{^}}LEAK +9.77 KiB per step in torch.cpu
# ONE-NOT: host.malloc,
# TWO: 2 places grow
# TWO-DAG: {{^}}LEAK +9.77 KiB per step in torch.cpu
# TWO-DAG: {{^}}LEAK +3.91 KiB per step in host.malloc
import sys

beside, steps, ms = len(sys.argv) > 1, 30, 1_000_000
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="torch.cpu" parent=1
  stack 1 main@/home/me/train.py:20 > validate@/home/me/train.py:9 > libtorch.so!empty@Empty.cpp:3
  stack 2 main@/home/me/train.py:20 > validate@/home/me/train.py:9 > libtorch.so!empty@Empty.cpp:3 > malloc
  stack 3 main@/home/me/train.py:21 > train@/home/me/train.py:14 > libtorch.so!empty@Empty.cpp:3
  stack 4 main@/home/me/train.py:21 > train@/home/me/train.py:14 > libtorch.so!empty@Empty.cpp:3 > malloc
  stack 5 main@/home/me/train.py:22 > log@/home/me/train.py:17 > malloc
events process=1""")
block = 0


def allocate(at, rest):
    global block
    print(f"  {at} th1 alloc #{block} {rest}")
    block += 1
    return block - 1


def tensor(at, inner, outer, size):
    around = allocate(at, f"heap=1 stack={outer} size={size + 64}")
    return around, allocate(at + 100, f"heap=2 stack={inner} size={size} in=#{around}")


for step in range(1, steps + 1):
    at = step * ms
    around, inside = tensor(at + 1000, 3, 4, 40000)
    tensor(at + 2000, 1, 2, 10000)
    if beside:
        allocate(at + 3000, "heap=1 stack=5 size=4000")
    print(f"  {at + 4000} th1 free #{inside}")
    print(f"  {at + 4100} th1 free #{around}")
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * ms} step process=1 id={step}")
print("complete")
