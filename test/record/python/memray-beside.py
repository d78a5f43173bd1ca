# memray's recorder over ours: it puts its functions over those in the interpreter's
# table and in the program's imports, and takes them away again. Both end well and say
# the same of a function.
#
# REQUIRES: memray
# RUN: %memray memrec -q --python-objects -o %t.fb -- %python -m memray run -q -f --trace-python-allocators -o %t.bin %s
# RUN: memdump --check %t.fb
# RUN: memleak --heap=python.object --no-default-suppressions --stack=make_kept --format=json %t.fb | FileCheck %s
# RUN: %memray %python -m memray summary %t.bin | FileCheck %s --check-prefix=MEMRAY
# RUN: %memray memrec -q --python-objects -o %t.fb -- %python -m memray run -q -f --native -o %t.bin %s
# RUN: memdump --check %t.fb
#
# CHECK: "blocks": 4321,
# MEMRAY: make_kept
import gc
import sys


def make_kept():
    return [object() for i in range(4321)]


def churn():
    for i in range(100):
        [object() for i in range(1000)]


kept = make_kept()
churn()
# For ever, so that it lives at the end.
gc.freeze()
sys.modules["kept"] = kept
import ctypes
ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
