# REQUIRES: greenlet, python
# RUN: env PYTHONPATH=%packages memrec -q -o %t.fb %python %s %t.json
# RUN: memdump --check %t.fb
# RUN: memleak --all-frames --format=json --min-size=100000 %t.fb > %t.leaks.json
# RUN: %python %S/Inputs/greenlet-frames.py %t.json %t.leaks.json
#
# Greenlets of different depths take turns, and each allocates: the Python frames are
# those that the traceback has, the native ones below end where the greenlet began.

import ctypes
import json
import sys
import traceback

import greenlet

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
truth = []


def sample():
    truth.append([[f.name, f.lineno] for f in traceback.extract_stack()])
    libc.malloc(100000 + len(truth))


def worker(rounds, depth):
    if depth:
        return worker(rounds, depth - 1)
    for _ in range(rounds):
        sample()
        # One that another greenlet begins stands on top of it.
        if depth == 0 and rounds > 5:
            greenlet.greenlet(inner).switch()
        main.switch()


def inner():
    sample()


main = greenlet.getcurrent()
workers = [greenlet.greenlet(worker) for _ in range(5)]
for depth, w in enumerate(workers):
    w.switch(10, depth)
for _ in range(12):
    for w in workers:
        if not w.dead:
            w.switch()
    sample()
json.dump(truth, open(sys.argv[1], "w"))
