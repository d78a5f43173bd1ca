# A map takes no more memory than for some four million blocks: a trace of a few KB may claim
# more. One more than these is an error.
#
# REQUIRES: long
# RUN: %python %s 4194304 | memas -o %t.fb - && memdump --map --at=end %t.fb | FileCheck %s
# RUN: %python %s 4194305 | memas -o %t.more.fb - && not memdump --map --at=end %t.more.fb 2>&1 | FileCheck %s --check-prefix=MORE
# CHECK: 4 GiB held; 4 GiB in 4,194,304 blocks
# MORE: memdump: error: {{.*}}: too many live blocks for a map at end: more than 4,194,304
import sys

print('''header
dictionary
  device 1 space="cuda:0"
  process 1 pid=1
  thread 1 process=1 tid=1
  heap 1 name="cuda:0.device" space=1''')
blocks = int(sys.argv[1])
for first in range(0, blocks, 65536):
    print("events process=1 epoch=%d" % (first // 65536 + 1))
    for block in range(first, min(blocks, first + 65536)):
        print("  %d th1 alloc heap=1 size=1024 address=%d" % (100 * block, 4096 + 1024 * block))
print("complete")
