// Two processes of one program that leak at one line: one finding, of both.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak --kind=growth -q %t.fb | FileCheck %s

#include "Inputs/pace.h"
#include <sys/wait.h>

static std::vector<char *> Kept;

static void serve() {
  for (int I = 0; I != 10; ++I)
    free(FILLED(4000 + 100 * I));
  Kept.push_back(FILLED(1000));
}

int main() {
  for (int I = 0; I != 2; ++I)
    if (fork() == 0) {
      runFor(4.5, 3, serve);
      _exit(0);
    }
  while (wait(nullptr) > 0)
    ;
}

// CHECK: {{^}}LEAK  workers.cpp:[[#]] serve {{.*}} per second in 2 processes, {{.*}} blocks so far
// CHECK-NOT: {{^(LEAK|grows|grew) }}
