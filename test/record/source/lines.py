# The trace has the text of the program's own lines that allocate, and no line of a file that
# changed, that may give away a secret, or of the system.
#
# RUN: rm -rf %t && mkdir %t && cp %s %t/program.py
# RUN: echo 'def make(n): return bytes(n)' > %t/changes.py
# RUN: cd %t && memrec -q -o t.fb -- %python program.py
# RUN: memdump --format=asm t.fb > t.txt
# RUN: FileCheck %s --input-file=t.txt
# RUN: not grep -e hunter2 -e 'return bytes' t.txt
# RUN: memstat --show=lines t.fb | FileCheck %s --check-prefix=LINES
# RUN: memrec -q --no-source -o none.fb -- %python program.py
# RUN: memdump --format=asm none.fb | FileCheck %s --check-prefix=NONE
#
# CHECK: options=[{{.*}}"source=lines"]
# CHECK: "large = bytearray(30_000_000)"
# LINES: 28.6 MiB {{.*}} program.py:[[#]] <module> large = bytearray(30_000_000)
# NONE: options=[{{.*}}"source=none"]
# NONE-NOT: source-line
import os
import sys

sys.path.insert(0, os.getcwd())
large = bytearray(30_000_000)
password, keep = "hunter2hunter2", bytearray(3_000_000)
with open("changes.py", "a", encoding="utf-8") as file:
    file.write("# changed\n")
import changes

other = changes.make(4_000_000)
