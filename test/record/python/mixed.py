# One path of Python's lines and the native frames between and below them: plain
# calls, an object's __call__, a callback from C (two runs of the evaluator), a
# generator, a thread, code of exec without a file, a key function of sorted, a
# name that is not ASCII. Each keeps a block of a size of its own.
#
# REQUIRES: python3.11
# RUN: memrec -q -o %t.fb -- %python3.11 %s
# RUN: memdump --check %t.fb
# RUN: memflame --group-by=stack --format=collapsed --metric=live --stack=mixed.py %t.fb > %t.folded
# RUN: FileCheck %s --input-file=%t.folded --match-full-lines --check-prefix=FLAME
# RUN: memleak -v --top=0 --stack=mixed.py %t.fb | FileCheck %s --check-prefix=LINES
# RUN: memflame --group-by=stack --format=collapsed --metric=live --all-frames %t.fb | FileCheck %s --check-prefix=ALL
# RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=ROLE
#
# Without merging.
# RUN: memrec -q --stacks=python -o %t.python.fb -- %python3.11 %s
# RUN: memflame --group-by=stack --format=collapsed --metric=live --all-frames --stack=mixed.py %t.python.fb | FileCheck %s --match-full-lines --check-prefix=PYTHON
# RUN: memrec -q --stacks=native -o %t.native.fb -- %python3.11 %s
# RUN: memflame --group-by=stack --format=collapsed --metric=live %t.native.fb | FileCheck %s --check-prefix=NATIVE
# RUN: memrec -q --stacks=none -o %t.none.fb -- %python3.11 %s
# RUN: memflame --group-by=stack --format=collapsed --metric=live %t.none.fb | FileCheck %s --check-prefix=NONE
#
# Native frames have no brackets in their names, so that nothing of Python's is
# between what is asked for.
# FLAME-DAG: <module> (mixed.py);Net.__call__ (mixed.py);Net.forward (mixed.py);{{[^()]*}};malloc 5000012
# FLAME-DAG: <module> (mixed.py);callback (mixed.py);{{[^()]*}};qsort{{[^()]*}};compare (mixed.py);{{[^()]*}};malloc 3000002
# FLAME-DAG: <module> (mixed.py);generate (mixed.py);{{[^()]*}};malloc 1000004
# FLAME-DAG: <module> (mixed.py);Größe (mixed.py);{{[^()]*}};malloc 2000004
# FLAME-DAG: Thread._bootstrap (threading.py);Thread._bootstrap_inner (threading.py);Thread.run (threading.py);work (mixed.py);{{[^()]*}};malloc 4000038
# FLAME-DAG: <module> (mixed.py);<module> (<string>);{{[^()]*}};malloc 6000012
# FLAME-DAG: <module> (mixed.py);<lambda> (mixed.py);{{[^()]*}};malloc 7000004
#
# LINES:      4.77 MiB in 1 block
# LINES:      mixed.py:[[#FORWARD:]] Net.forward
# LINES-NEXT: mixed.py:[[#FORWARD - 2]] Net.__call__
# LINES-NEXT: mixed.py:[[#FORWARD + 5]] <module>
# LINES-EMPTY:
#
# ALL: Py{{[^()]*}};<module> (mixed.py);{{[^()]+}};Net.__call__ (mixed.py);Net.forward (mixed.py);
# ROLE: "role": "mixed.py"
#
# PYTHON-DAG: <module> (mixed.py);Net.__call__ (mixed.py);Net.forward (mixed.py);malloc 5000012
# PYTHON-DAG: <module> (mixed.py);callback (mixed.py);compare (mixed.py);malloc 3000002
# NATIVE-NOT: mixed.py
# NATIVE: _PyEval_EvalFrameDefault
# NATIVE-NOT: mixed.py
# NONE-NOT: {{mixed.py|_PyEval|Py_RunMain}}
# NONE: malloc {{[0-9]+}}
# NONE-NOT: {{mixed.py|_PyEval|Py_RunMain}}
import ctypes, os, threading

libc = ctypes.CDLL(None)
keep = []


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def compare(a, b):
    if len(keep) == 1:
        keep.append(bytearray(3_000_001))
    return 0


def callback():
    libc.qsort((ctypes.c_int * 4)(), 4, 4, compare)


def generate():
    yield bytearray(1_000_003)


def Größe():
    keep.append(bytearray(2_000_003))


def work():
    keep.append(bytearray(4_000_037))


class Net:
    def __call__(self, n):
        return self.forward(n)
    def forward(self, n):
        keep.append(bytearray(n))



# Five lines below what it runs.
Net()(5_000_011)
callback()
keep.append(next(generate()))
Größe()
t = threading.Thread(target=work)
t.start()
t.join()
exec("keep.append(bytearray(6_000_011))")
sorted([1], key=lambda x: keep.append(bytearray(7_000_003)))
os._exit(0)
