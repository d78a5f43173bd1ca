"""Prints a text form with N rows of a kind: many.py KIND N."""

import sys

kind, n = sys.argv[1], int(sys.argv[2])
print("header\ndictionary\n  heap 1 name=\"h\"\n  process 1")
if kind == "threads":
    for i in range(n):
        print("  thread %d process=1" % (i + 1))
else:
    print("  thread 1 process=1")
if kind == "strings":
    for i in range(n):
        print('  string %d "s%d"' % (i + 2, i))
if kind == "locations":
    print('  function 1 name="f"\n  frame 1 unknown address=1')
    print("  symbols 1 locations=[%s]" % " ".join(["1:2"] * n))
if kind in ("events", "threads"):
    print("events process=1")
    for i in range(n):
        print("  %d th%d alloc heap=1" % (100 * i, i + 1 if kind == "threads" else 1))
elif kind == "marks":
    print("marks")
    for i in range(n):
        print("  %d step process=1 id=%d" % (i, i))
elif kind == "live":
    print("snapshot process=1 time=100 next=#%d" % n)
    for i in range(n):
        print("  live #%d heap=1 allocated=100" % i)
elif kind == "rows":
    print("summary\n  stacks process=1")
    for i in range(n):
        print("  row heap=1 allocations=%d" % i)
print("complete")
