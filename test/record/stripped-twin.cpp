// A stripped program without a build-id gets its symbols from the program before strip: the mapping and the
// addresses of the trace agree with that file.
// RUN: rm -rf %t && mkdir -p %t/gone
// RUN: %cxx -g -O1 -Wl,--build-id=none %s -o %t/full && strip %t/full -o %t/program
// RUN: memrec -q -o %t/t.fb %t/program && mv %t/program %t/gone
// RUN: memdump --symbolize %t/t.fb -o %t/o.fb 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: memdump: program: {{[0-9]+}} frames: the trace has no build-id of it
// RUN: memdump --symbolize --exe=%t/full %t/t.fb -o %t/o.fb 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: memdump: warning: program: {{.*}}/full has no build-id (in the trace: no build-id); its size in memory agrees with the trace
// AFTER-NOT: memdump: program:
// RUN: memflame --format=collapsed %t/o.fb | FileCheck %s --check-prefix=STACK
// STACK: main;grow(int);Pool::take(int);malloc {{[0-9]+}}

// The stripped file is back: its sections and code are compared, too.
// RUN: mv %t/gone/program %t
// RUN: memdump --symbolize --exe=%t/full %t/t.fb -o %t/o.fb 2>&1 | FileCheck %s --check-prefix=SECTIONS
// SECTIONS: (in the trace: no build-id); sections and code agree with {{.*}}/program
// RUN: %cxx -g -O2 -Wl,--build-id=none %s -DOTHER=1 -o %t/other
// RUN: not memdump --symbolize --exe=%t/other %t/t.fb -o %t/o.fb 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: memdump: error: --exe={{.*}}/other: not the file of {{.*}}/program: it has no build-id (in the trace: no build-id), and
#include <cstdlib>
#ifndef OTHER
#define OTHER 0
#endif

struct Pool {
  void *Last = nullptr;
  __attribute__((always_inline)) inline void take(int Bytes) {
    Last = malloc(size_t(Bytes));
  }
};

static __attribute__((noinline)) int grow(int Count) {
  static Pool P;
  for (int I = 1; I <= Count; ++I)
    P.take(I * 1000 + OTHER);
  return P.Last != nullptr;
}

int main(int Count, char **) { return grow(Count + 9) ? 0 : 1; }
