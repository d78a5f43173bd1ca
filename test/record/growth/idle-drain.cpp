// A program that loads, waits, and frees all when it ends: the wait counts, although the end
// takes time too. It has grown.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growth,growing %t.fb > %t.out

#include "Inputs/pace.h"

static std::vector<char *> Table;

int main() {
  runFor(1.5, 1, [] { Table.push_back(FILLED(3000)); });
  pauseFor(3.5);
  size_t Batch = Table.size() / 50 + 1;
  while (!Table.empty()) {
    for (size_t I = 0; I != Batch && !Table.empty(); ++I) {
      free(Table.back());
      Table.pop_back();
    }
    pauseFor(0.01);
  }
}

// CHECK-NOT: {{^(LEAK|grows) }}
// CHECK: Nothing grows
// CHECK: {{^}}grew {{.*}}idle-drain.cpp:[[#]]
