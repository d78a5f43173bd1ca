// 60,000 stacks keep blocks of malloc at the start; then mappings leak, in another heap. What
// leaks is found among the many.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s

#include "Inputs/pace.h"
#include <sys/mman.h>

static std::vector<char *> Table;

static __attribute__((noinline)) void enter(unsigned Bits, int Depth) {
  if (Depth == 0) {
    Table.push_back(FILLED(700));
    return;
  }
  if (Bits & 1) {
    enter(Bits >> 1, Depth - 1);
    asm volatile("");
  } else {
    enter(Bits >> 1, Depth - 1);
    asm volatile("nop");
  }
}

static __attribute__((noinline)) void arena() {
  void *P = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(P, 1, 65536);
}

int main() {
  for (unsigned Bits = 0; Bits != 60000; ++Bits)
    enter(Bits, 16);
  runFor(5, 10, [] {
    arena();
    for (int I = 0; I != 30; ++I)
      free(FILLED(60000 + I));
  });
}

// CHECK: {{^}}LEAK {{.*}}many-stacks.cpp:[[#]] arena {{.*}} per second
// CHECK-NOT: {{^(LEAK|grows) }}
