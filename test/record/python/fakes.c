// What looks like an interpreter and is not one that can be walked is recorded
// with its native stacks, and the reason is told.
//
// RUN: %cc -O1 -fno-builtin -rdynamic -DVERSION=0x031000f0 %s \
// RUN:   -o %t.new
// RUN: %wiredrain_python -- %t.new | FileCheck %s --check-prefix=UNKNOWN
// RUN: %cc -O1 -fno-builtin -rdynamic -DVERSION=0x030b07f0 -DDEBUG %s \
// RUN:   -o %t.debug
// RUN: %wiredrain_python -- %t.debug | FileCheck %s --check-prefix=DEBUG
// RUN: %cc -O1 -fno-builtin -rdynamic -DVERSION=0x030d00f0 -DTHREADED %s \
// RUN:   -o %t.mt
// RUN: %wiredrain_python -- %t.mt | FileCheck %s --check-prefix=THREADED
// RUN: %cc -O1 -fno-builtin -rdynamic -DVERSION=0x030d00f0 %s \
// RUN:   -o %t.other
// RUN: %wiredrain_python -- %t.other | FileCheck %s --check-prefix=OTHER
// RUN: %cc -O1 -fno-builtin -rdynamic -DVERSION=0 -DPYPY %s -o %t.pypy
// RUN: %wiredrain_python -- %t.pypy | FileCheck %s --check-prefix=PYPY
// RUN: memrec -o %t.fb -- %t.pypy 2>&1 | FileCheck %s --check-prefix=SAID
//
// UNKNOWN: python 2 version 31000f0 pairs 0
// DEBUG: python 3 version 30b07f0 pairs 0
// THREADED: python 4 version 30d00f0 pairs 0
// OTHER: python 5 version 30d00f0 pairs 0
// PYPY: python 7 version 0 pairs 0
// SAID: PyPy: its own frames are not recorded: only CPython's are
#include <stdlib.h>

const unsigned long Py_Version = VERSION;
char _PyRuntime[65536], PyCode_Type[512], PyUnicode_Type[512];
const char *Py_GetVersion(void) { return "3.16.0"; }
void *PyGILState_GetThisThreadState(void) { return 0; }
int PyCode_Addr2Line(void *C, int A) { return A; }
void *PyInterpreterState_Head(void) { return 0; }
void *PyInterpreterState_Next(void *I) { return I; }
#ifdef DEBUG
void _Py_NegativeRefcount(void) {}
#endif
#ifdef THREADED
void _Py_MergeZeroLocalRefcount(void) {}
#endif
#ifdef PYPY
#define _PyEval_EvalFrameDefault pypy_execute_source
#endif
__attribute__((noinline)) int _PyEval_EvalFrameDefault(int n) {
  for (int i = 0; i < n; ++i) {
    void *volatile P = malloc(100);
    free(P);
  }
  return n;
}
int main(void) { return _PyEval_EvalFrameDefault(10) != 10; }
