# A leak of Python's objects that needs an arena now and then is too little to judge, and no
# "Nothing grows" without a word: memleak says how much may be behind it.
#
# REQUIRES: python
# RUN: memrec -q --force -o %t.fb -- %python %s
# RUN: memleak --kind=growth %t.fb | FileCheck %s
# RUN: memleak --kind=growth --format=json %t.fb | FileCheck %s --check-prefix=JSON
# RUN: memrec -q --force --python-objects -o %t.fb -- %python %s
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=EACH
#
# CHECK: Nothing grows (measured: {{.*}}); Python's objects took {{[1-3]}} MiB of arenas in the last half, too few to judge: memrec --python-objects counts each
# JSON: "few_arena_bytes": {{[1-3][0-9]+}}
# EACH: {{LEAK|grows}} {{.*}}few-arenas.py:[[#@LINE+8]]
import time

SECONDS, OBJECTS = 6, 12000  # some 2.4 MiB
last, number = None, 0
began = time.monotonic()
while number < OBJECTS:
    for number in range(number, min(OBJECTS, int((time.monotonic() - began) / SECONDS * OBJECTS))):
        last = (last, b"%080d" % number)
    number += 1
    bytes(10000)
    time.sleep(0.005)
