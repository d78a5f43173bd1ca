// A service whose requests need far more memory for a while than one of them keeps: it leaks,
// by the clock, although it has no steps. Then it is idle.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growth %t.fb > %t.out 2> %t.err; test $? -eq 3
// RUN: memleak --kind=growth --format=json -q %t.fb | FileCheck %s --check-prefix=JSON
// RUN: memleak -v --kind=growth %t.fb | FileCheck %s --check-prefix=LONG
// RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT

#include "Inputs/pace.h"

static std::vector<char *> Kept;

static void request() {
  for (int I = 0; I != 10; ++I)
    free(FILLED(4000 + 100 * I));
}

int main() {
  runFor(4.5, 3, [] {
    request();
    Kept.push_back(FILLED(1000));
  });
  pauseFor(3);
}

// CHECK: LEAK {{.*}}service.cpp:[[#]] {{.*}} per second, {{.*}} blocks so far, idle since {{[0-9.]+}} s
// CHECK: since {{.*}}; other memory comes back to its level in {{[0-9]+}} rounds
// CHECK-NOT: {{^(LEAK|grows|grew) }}
// CHECK: Nothing else grows
//
// JSON: "verdict": "leak",
// JSON-NEXT: "evidence": "rounds",
// JSON-NEXT: "rounds": {{[0-9]+}},
// JSON-NEXT: "until_ns": null,
// JSON-NEXT: "freed_ns": null,
// JSON-NEXT: "idle_since_ns": {{[0-9]+}},
//
// LONG: {{^}}LEAK +{{.*}} per second in host.malloc
// LONG-NEXT: ; other memory comes back to its level in {{[0-9]+}} rounds; idle since {{[0-9.]+}} s
//
// STAT: ! LEAK {{.*}} per second, {{.*}} so far: service.cpp:[[#]]
