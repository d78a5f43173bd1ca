// A function of an allocator that throws does not return: what its thread allocates later, in deeper frames, is recorded.
//
// REQUIRES: python
// RUN: %cxx -O2 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/heap.py %t.fb private.mimalloc@thrown %t.live
#include "Inputs/toy.h"
#include <cstdio>
#include <new>

extern "C" {
HIDDEN void *mi_malloc_aligned(size_t size, size_t) { return toy_take(size); }
HIDDEN void *mi_new(size_t size) {
  // Saved first: a call among the first instructions would be refused.
  __asm__ volatile("" ::: "rbx", "r12", "r13");
  void *p = toy_take(size);
  if (!p)
    throw std::bad_alloc();
  return p;
}
HIDDEN void mi_free(void *p) { toy_drop(p); }
}

static int made;

__attribute__((noinline)) static bool fails() {
  try {
    mi_new(size_t(1) << 40);
  } catch (const std::bad_alloc &) {
    return true;
  }
  return false;
}

// Each call is deeper than the one that threw.
__attribute__((noinline)) static void work(int depth) {
  volatile char frame[256];
  frame[0] = 1;
  void *kept = mi_malloc_aligned(100, 16), *freed = mi_new(50);
  made += 2;
  mi_free(freed);
  if (depth)
    work(depth - 1);
  frame[1] = kept != nullptr;
}

int main() {
  for (int i = 0; i != 100; ++i) {
    if (!fails())
      return 1;
    work(20);
  }
  printf("%zu %d\n", toy_live, made);
}
