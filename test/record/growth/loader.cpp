// A program that loads as long as it runs: its memory grows, and nothing shows that it is a
// leak.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak --fail-on=growth %t.fb > %t.out 2> %t.err
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --input-file=%t.err --check-prefix=PASSES
// RUN: memleak --fail-on=growing %t.fb > %t.out 2> %t.err; test $? -eq 3
// RUN: FileCheck %s --input-file=%t.err --check-prefix=FAILS
// RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT

#include "Inputs/pace.h"

static std::vector<char *> Table;

int main() {
  runFor(2.5, 1, [] { Table.push_back(FILLED(3000)); });
}

// CHECK: grows {{.*}}loader.cpp:[[#]] {{.*}} per second, {{.*}} blocks so far
// CHECK-NOT: LEAK
// CHECK: nothing shows that the program repeats itself
// CHECK: Nothing else grows
// CHECK: the growth above
//
// PASSES: memleak: warning: {{.*}}: memory grows, and nothing shows that it leaks: growth passes, growing would fail
// FAILS-NOT: warning
// FAILS: memleak: --fail-on: growing holds
//
// STAT-NOT: !
// STAT: {{^  }}grows {{.*}} per second, {{.*}} so far: loader.cpp:[[#]]
// STAT-NOT: !
