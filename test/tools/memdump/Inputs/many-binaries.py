# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a trace, as text, of N binaries that do not exist; lib5.so has 5 frames."""

import sys

count = int(sys.argv[1])
print("header\ndictionary")
for i in range(1, count + 1):
    print(f'  binary {i} path="/gone/lib{i}.so" build-id=0000{i:02x}')
frames = [(i, n) for i in range(1, count + 1) for n in range(i)]
for i, (binary, address) in enumerate(frames, 1):
    print(f"  frame {i} native binary={binary} address={address}")
print("  stack 1 frames=[%s]" % " ".join(str(i) for i in range(len(frames), 0, -1)))
print('  heap 1 name="host.malloc"\n  process 1 pid=1\n  thread 1 process=1 tid=1')
print("events process=1\n  100 th1 alloc size=1 stack=1 heap=1\ncomplete")
