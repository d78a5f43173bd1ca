# A program keeps tensors of each step until its exit, and a caching allocator keeps the segments
# around them beyond: the line of the tensors grows, not the line that needed the segments.
#
# RUN: %python %s > %t.mas
# RUN: memas -o %t.fb %t.mas
# RUN: memstat %t.fb | FileCheck %s
# RUN: memleak %t.fb | FileCheck %s --check-prefix=LEAK
# CHECK: ! LEAK {{.*}} per step{{.*}}: train.py:5 forward
# CHECK-NOT: backward
# CHECK: The peak of cuda:0
# LEAK: LEAK train.py:5 forward
# LEAK-NOT: {{LEAK|FILLS|other lines}}
STEPS = 40
print("""header container=1 format=1 tool="memas" command=["python" "train.py"] start=[5000 7000 9000] tsc-hz=1000000000 pid=100
dictionary
  string 1 "torch.cuda:0.segments"
  string 2 "torch.cuda:0"
  string 3 "/home/me/train.py"
  string 4 "forward"
  string 5 "backward"
  string 6 "/usr/bin/python3"
  string 7 "torch.cpu"
  device 1 uuid=00ff name="H200" space="cuda:0" bytes=150000000000
  function 1 name=4 file=3 line=4
  function 2 name=5 file=3 line=8
  frame 1 python function=1 line=5
  frame 2 python function=2 line=9
  stack 1 frames=[1]
  stack 2 frames=[2]
  process 1 pid=100 exe=6 command=[6]
  thread 1 process=1 tid=100
  heap 1 name=1 space=1
  heap 2 name=2 space=1 parent=1
  heap 3 name=7
events process=1 epoch=1 allocation-id=0
  500000 th1 alloc #0 size=100 stack=1 heap=3""")
block, marks = 1, []
for step in range(1, STEPS + 1):
    at = step * 1000000
    marks.append(f"  {at} step process=1 id={step}")
    print(f"  {at + 1000} th1 alloc #{block} size=2097152 stack=2 heap=1")
    print(f"  {at + 2000} th1 alloc #{block + 1} size=2000000 stack=1 heap=2 in=#{block}")
    block += 2
end = (STEPS + 1) * 1000000
for step in range(STEPS):
    print(f"  {end + step * 100} th1 free #{2 * step + 2}")
print("marks")
print("\n".join(marks))
print(f"  {end + 100000} process-end process=1 values=[0 0]")
