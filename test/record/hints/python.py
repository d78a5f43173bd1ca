# memleak's hints on Python programs: each has a program that it is about, and one beside it
# that does the same without the fault.
#
# REQUIRES: python
# RUN: memrec -q --force -o %t.fb -- %python %s cache
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=CACHE
# RUN: memrec -q --force -o %t.fb -- %python %s bounded
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
# RUN: memrec -q --force -o %t.fb -- %python %s below
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=BELOW
# RUN: memrec -q --force -o %t.fb -- %python %s filling
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
# RUN: memrec -q --force -o %t.fb -- %python %s files
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=FILES
# RUN: memrec -q --force -o %t.fb -- %python %s closed
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
# RUN: memrec -q --force -o %t.fb -- %python %s texts
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=KEPT
# RUN: memrec -q --force -o %t.fb -- %python %s buffers
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=KEPT
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
# A list that grows below a cached function is not in the cache, which has one entry.
# BELOW: python.py:
# BELOW-NOT: hint: functools
# Texts of closed files and buffers in memory are no open files.
# KEPT: LEAK python.py:
# KEPT-NOT: hint: files
# NONE-NOT: hint:
import collections
import functools
import io
import sys

import memkit

kind = sys.argv[1]


@functools.lru_cache(maxsize=None if kind == "cache" else 8)
def squares(number):
    return bytes(4000 + number)


@functools.lru_cache(maxsize=20000)
def cubes(number):
    return number


opened = []
kept = collections.deque(maxlen=20000) if kind == "deque" else []


def cached():
    for number in range(20):
        squares(step * 20 + number)


def filling():
    for number in range(300):
        cubes(step * 300 + number)


def files():
    for _ in range(4):
        file = open(__file__, encoding="utf-8")
        file.readline()
        if kind == "closed":
            file.close()
        opened.append(file) if kind == "files" else None


def texts():
    for _ in range(4):
        with open(__file__, encoding="utf-8") as file:
            opened.append(file.read())


def buffers():
    for _ in range(4):
        opened.append(io.BytesIO())
        opened[-1].write(bytes(5000))


def items():
    for number in range(4000):
        kept.append(None)


work = {"cache": cached, "bounded": cached, "filling": filling, "files": files, "closed": files, "texts": texts,
        "buffers": buffers, "list": items, "deque": items, "below": lambda: opened.append(bytes(5000))}[kind]


@functools.cache
def steps(count):
    global step
    for step in range(count):
        memkit.step()
        work()


steps(40) if kind == "below" else steps.__wrapped__(40)
