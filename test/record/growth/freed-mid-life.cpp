// Memory that grows, is freed in mid-life, and nothing after: it grew, and is no leak.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growth,growing %t.fb > %t.out
// RUN: memleak --kind=growth --format=json -q %t.fb | FileCheck %s --check-prefix=JSON

#include "Inputs/pace.h"

static std::vector<char *> Table;

int main() {
  runFor(2.5, 1, [] { Table.push_back(FILLED(5000)); });
  for (char *P : Table)
    free(P);
  pauseFor(3.5);
}

// CHECK-NOT: {{^(LEAK|grows) }}
// CHECK: grew to {{[0-9.]+}} MiB, freed at {{[0-9.]+}} s {{.*}}freed-mid-life.cpp:[[#]]
// CHECK-NOT: {{^(LEAK|grows) }}
//
// JSON: "verdict": "grew",
// JSON: "freed_ns": {{[0-9]+}},
