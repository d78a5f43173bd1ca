// What glibc offers beside malloc: malloc_usable_size, mallopt, malloc_trim,
// mallinfo2, and its functions by their internal names.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: %{same} --lost %t.fb -- %t.exe | FileCheck %s
//
// Two frees of blocks that were not seen, and a block at an address whose free was
// not seen: each is counted.
// CHECK: "allocations": 104,
// CHECK: "lost": 3,

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

int main(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 1);
  char *P = malloc(100);
  size_t Size = malloc_usable_size(P);
  memset(P, 1, Size);
  P = realloc(P, 5000);
  free(P);
  // Blocks that only one side of the hooks sees.
  free(__libc_malloc(500));
  free(__libc_memalign(64, 500));
  __libc_free(malloc(500));
  for (int I = 0; I != 100; ++I)
    free(malloc(500));
  struct mallinfo2 Info = mallinfo2();
  malloc_trim(0);
  printf("%d %d\n", Size >= 100, Info.arena > 0);
  return 0;
}
