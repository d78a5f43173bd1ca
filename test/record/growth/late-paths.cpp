// Start-up maps memory on many call paths; then requests keep memory on three call paths, to
// the end. That is one growth, of the requests alone.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin -fno-optimize-sibling-calls %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -v --kind=growth %t.fb | FileCheck %s --check-prefix=PLACES

#include "Inputs/pace.h"
#include <sys/mman.h>

static __attribute__((noinline)) char *map(size_t Bytes) {
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<char *>(memset(P, 1, Bytes));
}

static __attribute__((noinline)) char *path(int Depth, size_t Bytes) {
  char *P = Depth ? path(Depth - 1, Bytes) : map(Bytes);
  P[1]++;
  return P;
}

static __attribute__((noinline)) void import(int Depth) { path(Depth, 1 << 20)[2]++; }
static __attribute__((noinline)) void kernel(int Depth) { path(Depth, 264192)[3]++; }

int main() {
  for (int I = 0; I != 48; ++I) {
    import(I);
    free(FILLED(1000 + I));
    pauseFor(0.06);
  }
  int Requests = 0;
  runFor(3, 8, [&] {
    for (int I = 0; I != 2; ++I)
      kernel((Requests + I) % 3);
    free(FILLED(5000));
    ++Requests;
  });
}

// CHECK: {{^}}grows {{.*}}late-paths.cpp:[[#]] {{.*}} per second, {{.*}} MiB in {{.*}} blocks so far
// CHECK-NOT: {{^(LEAK|grows) }}
// CHECK: Nothing else grows
//
// PLACES-NOT: LEAK
// PLACES: {{^}}grows +{{.*}} in host.mmap
// PLACES-NOT: import(int)
// PLACES: kernel(int)
