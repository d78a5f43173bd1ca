# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-stacks.py [COUNT]: a trace as text: main calls one large and COUNT small functions."""

import sys

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

print('header command=["./many"]')
print('dictionary\n process 1 pid=1 exe="/bin/many"\n thread 1 process=1 tid=1')
print(' heap 1 name="host.malloc"\n stack 1 main > large')
for number in range(COUNT):
    print(f" stack {number + 2} main > small{number}")
print("events process=1\n 0 th1 alloc heap=1 stack=1 size=1000000")
for number in range(COUNT):
    if number % 50000 == 49999:
        print("events process=1")
    print(f" {(number + 1) * 100} th1 alloc heap=1 stack={number + 2} size=1")
print("complete")
