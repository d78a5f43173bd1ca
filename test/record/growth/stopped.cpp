// Recording that stops: the program goes on with its work, and what it allocates is no longer
// known. It is not idle.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force --stop=after:5s -o %t.fb -- %t.exe
// RUN: memleak --kind=growth %t.fb | FileCheck %s
// RUN: memleak --kind=growth --format=json -q %t.fb | FileCheck %s --check-prefix=JSON

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
  // More than the 2 s after which a program is idle.
  runFor(3, 3, request);
}

// CHECK: LEAK {{.*}}stopped.cpp:[[#@LINE-6]] {{.*}} per second, {{.*}} blocks so far{{$}}
// CHECK-NOT: {{^(LEAK|grows) }}
// CHECK: Nothing else grows
//
// JSON: "verdict": "leak",
// JSON: "idle_since_ns": null,
