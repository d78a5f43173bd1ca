# A recursion has a stack of each depth: the listing shows 1,000 frames of each, so its size is not the square of the
# depth.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb && memdump %t.fb -o %t.txt
# RUN: FileCheck %s < %t.txt
# RUN: grep -c "^      a.py:1 f$" %t.txt | FileCheck %s --check-prefix=LINES
# RUN: memdump --format=json %t.fb | FileCheck %s --check-prefix=JSON
#
# CHECK: stack 1000:
# CHECK-NOT: ...
# CHECK: stack 1001:
# CHECK: ... more callers (1,000 frames are shown)
# CHECK: stack 1003:
# CHECK: ... more callers (1,000 frames are shown)
# LINES: {{^}}503500{{$}}
# JSON: "id":1003
print("header\ndictionary\n  process 1 pid=1 exe=\"p\"\n  thread 1 process=1 tid=1\n  heap 1 name=\"h\"\n"
      "  function 1 name=\"f\" file=\"a.py\" line=1\n  frame 1 python function=1 line=1")
for i in range(1, 1004):
    print(f"  stack {i} node={i - 1} frames=[1]")
print("events process=1")
for i in range(1, 1004):
    print(f"  {i * 1000} th1 alloc heap=1 stack={i} size=1")
print("complete")
