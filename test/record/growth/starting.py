# RUN: rm -rf %t && mkdir %t
# RUN: not memrec -q -o %t/s.fb -- %python %s %t/parts
# RUN: memstat %t/s.fb | head -1 | FileCheck %s
# RUN: memleak %t/s.fb | FileCheck %s --check-prefix=LEAK
#
# A program that is killed while it imports modules: the first line of memstat does not call that a growth.
# memleak tells of it, and does not call it a leak.
#
# CHECK: starting.py: peak {{.*}} MiB at {{.*}}; killed by signal 9 (Killed){{$}}
# LEAK: {{^}}grows {{.*}}starting.py:[[#]] <module>

import os
import sys

folder = sys.argv[1]
os.mkdir(folder)
sys.path.insert(0, folder)
for number in range(24):
    with open(os.path.join(folder, "part%d.py" % number), "w") as part:
        part.write("import time\nrows = [(i, str(i), [i]) for i in range(1500)]\ntime.sleep(0.01)\n")
for number in range(24):
    __import__("part%d" % number)
os.kill(os.getpid(), 9)
