# memleak's hints on Python programs: each has a program that it is about, and one beside it
# that does the same without the fault.
#
# REQUIRES: python
# RUN: memrec -q --force -o %t.fb -- %python %s cache
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=CACHE
# RUN: memrec -q --force -o %t.fb -- %python %s bounded
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
# RUN: memrec -q --force -o %t.fb -- %python %s files
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=FILES
# RUN: memrec -q --force -o %t.fb -- %python %s closed
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
# RUN: memrec -q --force -o %t.fb -- %python %s list
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=LIST
# RUN: memrec -q --force -o %t.fb -- %python %s deque
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
#
# CACHE: LEAK python.py:
# CACHE: hint: functools.lru_cache(None) and functools.cache have no bound
# FILES: LEAK python.py:
# FILES: hint: files are opened and not closed
# LIST: grows python.py:
# LIST: hint: one container only grows
# NONE-NOT: hint:
import collections
import functools
import sys

import memkit

kind = sys.argv[1]


@functools.lru_cache(maxsize=None if kind == "cache" else 8)
def squares(number):
    return bytes(4000 + number)


opened = []
kept = collections.deque(maxlen=20000) if kind == "deque" else []
for step in range(40):
    memkit.step()
    if kind in ("cache", "bounded"):
        for number in range(20):
            squares(step * 20 + number)
    elif kind in ("list", "deque"):
        for number in range(4000):
            kept.append(None)
    else:
        for _ in range(4):
            file = open(__file__, encoding="utf-8")
            file.readline()
            if kind == "closed":
                file.close()
            opened.append(file) if kind == "files" else None
