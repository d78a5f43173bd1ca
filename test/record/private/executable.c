// An allocator that an executable has built into itself, with a prefix of the program's choice:
// jemalloc by its interface without malloc's names. Linked at a fixed address, too.
//
// REQUIRES: python
// RUN: %cc -O2 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/heap.py %t.fb private.jemalloc@executable %t.live
// RUN: memstat %t.fb | FileCheck %s
// RUN: %cc -O2 -g -no-pie -fno-pie %s -o %t-fixed.exe
// RUN: memrec -q -o %t.fb --force -- %t-fixed.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t-fixed.exe > %t.live
// RUN: %python %S/Inputs/heap.py %t.fb private.jemalloc@executable %t.live
// CHECK: executable.c:[[#]] main
#include "Inputs/toy.h"
#include <stdio.h>

HIDDEN void *own_mallocx(size_t size, int flags) {
  (void)flags;
  return toy_take(size);
}
HIDDEN int own_posix_memalign(void **to, size_t alignment, size_t size) {
  (void)alignment;
  void *p = toy_take(size);
  if (!p)
    return 12;
  *to = p;
  return 0;
}
/* In place, and never larger than the block. */
HIDDEN size_t own_xallocx(void *p, size_t size, size_t extra, int flags) {
  (void)extra, (void)flags;
  size_t *at = (size_t *)p - 2;
  pthread_mutex_lock(&toy_lock);
  if (size <= at[0]) {
    toy_live -= at[0] - size;
    at[0] = size;
  }
  pthread_mutex_unlock(&toy_lock);
  return at[0];
}
HIDDEN void own_sdallocx(void *p, size_t size, int flags) {
  (void)size, (void)flags;
  toy_drop(p);
}
HIDDEN void own_free(void *p) { toy_drop(p); }

int main(void) {
  int made = 0;
  void *last = 0;
  for (int i = 0; i != 1000; ++i) {
    void *p = own_mallocx(2000 + i, 0), *q = 0;
    made += own_posix_memalign(&q, 64, 3000) == 0;
    if (own_posix_memalign(&last, 64, (size_t)1 << 40) == 0)
      return 1;
    ++made;
    /* A block that shrinks is a new one for the recorder. */
    own_xallocx(p, 1000, 0, 0);
    ++made;
    if (i % 2)
      own_sdallocx(p, 1000, 0);
    own_free(q);
  }
  printf("%zu %d\n", toy_live, made);
  return 0;
}
