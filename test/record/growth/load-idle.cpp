// A program that loads and then waits has grown: no leak, and no growth to its end.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growth,growing %t.fb > %t.out
// RUN: memleak --kind=growth --format=json -q %t.fb | FileCheck %s --check-prefix=JSON
// RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT

#include "Inputs/pace.h"

static std::vector<char *> Table;

int main() {
  runFor(1.5, 1, [] { Table.push_back(FILLED(3000)); });
  pauseFor(3.5);
}

// CHECK-NOT: {{^(LEAK|grows) }}
// CHECK: Nothing grows
// CHECK: grew until {{.*}}load-idle.cpp:[[#]] {{.*}} MiB in {{.*}} blocks
// CHECK-NOT: {{^(LEAK|grows) }}
// CHECK: Live at the end
//
// JSON: "verdict": "grew",
// JSON-NEXT: "evidence": null,
// JSON-NEXT: "rounds": null,
// JSON-NEXT: "until_ns": {{[0-9]+}},
// JSON-NEXT: "freed_ns": null,
// JSON-NEXT: "idle_since_ns": null,
//
// STAT-NOT: {{LEAK|^ +grows}}
