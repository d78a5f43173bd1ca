// An executable that defines malloc itself, but neither operator new nor reallocarray: those of the libraries call its
// malloc and realloc. Each block is recorded once, and moves within its allocator.
//
// REQUIRES: python
// RUN: %cxx -O2 -g %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/heap.py %t.fb private.malloc@own-malloc-calls %t.live
// RUN: memdump --table=heaps --format=csv %t.fb | FileCheck %s
// CHECK-NOT: {{^}}host.malloc,host,,true,{{[1-9]}}
// RUN: memrec -q --sample=1000 -o %t.fb --force -- %t.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: memdump --table=heaps --format=csv %t.fb | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <cstring>
extern "C" {
#include "Inputs/toy.h"
#define NOINLINE __attribute__((noinline))
static int Made;
NOINLINE void *malloc(size_t Size) {
  ++Made;
  return toy_take(Size);
}
NOINLINE void free(void *P) { toy_drop(P); }
NOINLINE void *calloc(size_t Many, size_t Size) {
  void *P = malloc(Many * Size);
  return P ? memset(P, 0, Many * Size) : P;
}
NOINLINE void *realloc(void *P, size_t Size) {
  void *New = malloc(Size);
  if (New && P) {
    size_t Old = static_cast<size_t *>(P)[-2];
    memcpy(New, P, Old < Size ? Old : Size);
    free(P);
  }
  return New;
}
}

/// What the compiler must not leave out.
template <class T> static T *used(T *P) {
  asm volatile("" : "+r"(P) : : "memory");
  return P;
}

int main() {
  // libstdc++ has made a block before.
  size_t Live = toy_live;
  int Before = Made;
  static char Room[1 << 16];
  setvbuf(stdout, Room, _IOFBF, sizeof(Room));
  for (int I = 0; I != 1000; ++I)
    if (char *P = used(new char[size_t(I) + 1]); I % 2)
      delete[] P;
  char *Grown = static_cast<char *>(used(malloc(10)));
  for (int I = 1; I != 100; ++I)
    Grown = static_cast<char *>(used(reallocarray(Grown, size_t(I), 100)));
  printf("%zu %d\n", toy_live - Live, Made - Before);
}
