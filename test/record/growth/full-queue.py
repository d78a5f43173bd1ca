# A queue that is full after three quarters of the run drops its oldest blocks so late that nearly all seem to
# survive; but memory stays level, which is no leak.
#
# REQUIRES: python
# RUN: memrec -q --force -o %t.fb -- %python %s
# RUN: memleak %t.fb | FileCheck %s
# RUN: memleak -q --fail-on=growth %t.fb > %t.out
# CHECK: Nothing grows
# CHECK: {{^}}grew until step 7{{[0-9][0-9]}}  full-queue.py:[[#]] <module>
import collections

import memkit

queue = collections.deque()
for number in range(1000):
    queue.append(bytes(10000))
    rest = bytearray(100000)
    if len(queue) > 740:
        queue.popleft()
    memkit.step()
