// Each round allocates a new buffer, then frees the old one. The last, which lives while other
// work goes on, is not forgotten: its turn has not come.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak -q %t.fb | FileCheck %s
// RUN: memleak -v --kind=outlier %t.fb | FileCheck %s --check-prefix=NONE

#include "Inputs/pace.h"

static char *Buffer;

int main() {
  for (int Round = 0; Round != 300; ++Round) {
    char *New = FILLED(20000);
    free(Buffer);
    Buffer = New;
    pauseFor(0.01);
  }
  runFor(2, 5, [] { free(FILLED(3000)); });
}

// CHECK-NOT: {{LEAK|Forgotten}}
// CHECK: Live at the end
// CHECK-NOT: {{LEAK|Forgotten}}
//
// NONE-NOT: double-buffer.cpp
