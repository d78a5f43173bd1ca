# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long-names.py COUNT LENGTH [DEPTH]: a trace as text: main calls COUNT functions with names of
LENGTH characters, each of which calls itself DEPTH times."""

import sys

count, length = int(sys.argv[1]), int(sys.argv[2])
depth = int(sys.argv[3]) if len(sys.argv) > 3 else 1
print('header command=["./long"]')
print('dictionary\n process 1 pid=1 exe="/bin/long"\n thread 1 process=1 tid=1')
print(' heap 1 name="host.malloc"')
for number in range(count):
    name = f"f{number}_".ljust(length, "x")
    print(f" stack {number + 1} main" + f" > {name}" * depth)
print("events process=1")
for number in range(count):
    print(f" {(number + 1) * 100} th1 alloc heap=1 stack={number + 1} size=1000")
print("complete")
