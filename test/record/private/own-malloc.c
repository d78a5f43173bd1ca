// An executable that defines malloc itself, as one does that links an allocator statically: the loader finds its
// functions before those of preloaded libraries. Blocks of the C library come from it, too. With names or without.
//
// REQUIRES: python
// RUN: %cc -O2 -g %s -o %t.exe -lpthread
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/heap.py %t.fb private.malloc@own-malloc %t.live
// RUN: memstat %t.fb | FileCheck %s
// RUN: strip %t.exe
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.live
// RUN: %python %S/Inputs/heap.py %t.fb private.malloc@own-malloc %t.live
// CHECK: own-malloc.c:[[#]] work
//
// Functions that call the next malloc only count: its blocks are not counted twice.
// RUN: %cc -O2 -g -DNEXT %s -o %t-next.exe -lpthread -ldl
// RUN: memrec -q -o %t.fb --force -- %t-next.exe > %t.live
// RUN: memrec -q -o %t.fb --force -- %t-next.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: memdump --table=heaps --format=csv %t.fb | FileCheck --check-prefix=NEXT %s
// NEXT: {{^}}host.malloc,host,,true,1199{{[0-9]}},
// NEXT-NOT: {{^}}private.malloc@own-malloc,host,,true,{{[1-9]}}
// RUN: memrec -q --sample=100 -o %t.fb --force -- %t-next.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: memdump --table=heaps --format=csv %t.fb | FileCheck --check-prefix=SAMPLED %s
// SAMPLED: {{^}}host.malloc,host,,true,1{{[0-9][0-9][0-9][0-9]}},
// SAMPLED-NOT: {{^}}private.malloc@own-malloc,host,,true,{{[1-9]}}
#define _GNU_SOURCE
#include "Inputs/toy.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Calls that made a block. */
static int made;
static void *count(void *p) {
  if (p)
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
  return p;
}

#ifdef NEXT
#define REAL(R, Name, ...) ((R(*)(__VA_ARGS__))dlsym(RTLD_NEXT, Name))
void *malloc(size_t size) { return count(REAL(void *, "malloc", size_t)(size)); }
void *realloc(void *p, size_t size) { return count(REAL(void *, "realloc", void *, size_t)(p, size)); }
void free(void *p) { REAL(void, "free", void *)(p); }
#else
#define NOINLINE __attribute__((noinline))
NOINLINE void *malloc(size_t size) { return count(toy_take(size)); }
NOINLINE void *calloc(size_t many, size_t size) { return malloc(many * size); }
NOINLINE void free(void *p) { toy_drop(p); }
NOINLINE void *realloc(void *p, size_t size) {
  void *q = malloc(size);
  if (q && p) {
    size_t old = ((size_t *)p)[-2];
    memcpy(q, p, old < size ? old : size);
    free(p);
  }
  return q;
}
NOINLINE int posix_memalign(void **to, size_t alignment, size_t size) {
  (void)alignment;
  return (*to = count(toy_take(size))) ? 0 : 12;
}
#endif

__attribute__((noinline)) static char *keep(size_t size) {
  char *p = malloc(size);
  __asm__("");
  return p;
}

static void *work(void *unused) {
  (void)unused;
  for (int i = 1; i != 1000; ++i) {
    char *p = realloc(keep((size_t)i), 2000);
    free(strdup("text"));
    if (i % 10)
      free(p);
  }
  return 0;
}

int main(void) {
  static char room[1 << 16];
  setvbuf(stdout, room, _IOFBF, sizeof(room));
  pthread_t threads[4];
  for (int i = 0; i != 4; ++i)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i != 4; ++i)
    pthread_join(threads[i], 0);
  void *aligned = 0;
  if (posix_memalign(&aligned, 64, 1 << 20))
    return 1;
  printf("%zu %d\n", toy_live, made);
  return 0;
}
