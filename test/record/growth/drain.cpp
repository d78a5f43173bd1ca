// A leak that the program frees when it ends, over some time, is a leak all the same.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growth %t.fb > %t.out 2> %t.err; test $? -eq 3

#include "Inputs/pace.h"
#include <deque>

static std::vector<char *> Kept;
static std::deque<char *> Sessions;

static void request() {
  for (int I = 0; I != 20; ++I)
    free(FILLED(2000 + 100 * I));
  Sessions.push_back(FILLED(3000));
  if (Sessions.size() > 50) {
    free(Sessions.front());
    Sessions.pop_front();
  }
}

int main() {
  runFor(4.5, 5, [] {
    request();
    Kept.push_back(FILLED(1000));
  });
  size_t Batch = Kept.size() / 50 + 1;
  runFor(0.5, 10, [&] {
    for (size_t I = 0; I != Batch && !Kept.empty(); ++I) {
      free(Kept.back());
      Kept.pop_back();
    }
  });
  for (char *P : Kept)
    free(P);
  for (char *P : Sessions)
    free(P);
}

// CHECK: LEAK {{.*}}drain.cpp:[[#]] {{.*}} blocks so far, freed at exit
// CHECK-NOT: {{^(LEAK|grows) }}
