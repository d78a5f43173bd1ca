// The blocks of an allocator that a library has built into itself: exact, with the stack of the
// caller, and no byte twice. Calls of the allocator's functions by each other count once.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -g -shared -fPIC -DLIBRARY %s -o %t/libtoy.so.2
// RUN: %cc -O2 -g %s -o %t/program -ldl
// RUN: memrec -q -o %t/first.fb -- %t/program %t/libtoy.so.2 > %t/live
// RUN: memrec -q -o %t/t.fb -- %t/program %t/libtoy.so.2 > %t/live
// RUN: memdump --check %t/t.fb
// RUN: %python %S/Inputs/heap.py %t/t.fb private.mimalloc@libtoy %t/live
// RUN: memstat -v %t/t.fb | FileCheck %s
// RUN: memrec -q --no-private -o %t/n.fb -- %t/program %t/libtoy.so.2 > %t/live
// RUN: memdump %t/n.fb | FileCheck --check-prefix=NONE %s
// RUN: memrec -q '--heap=private.*' -o %t/o.fb -- %t/program %t/libtoy.so.2 > %t/live
// RUN: memdump --check %t/o.fb
// RUN: memdump --table=heaps %t/o.fb | FileCheck --check-prefix=ONLY %s
// RUN: memrec -q --min-size=500 -o %t/m.fb -- %t/program %t/libtoy.so.2 > %t/live
// RUN: memdump --check %t/m.fb
// RUN: memdump --table=events --format=csv --heap=private.mimalloc@libtoy %t/m.fb | FileCheck --check-prefix=LARGE %s
//
// CHECK: program: peak
// CHECK: The peak, by line of your code
// CHECK: library.c:[[#]] lib_make
// CHECK: private.mimalloc@libtoy
// NONE-NOT: private.
// ONLY: private.mimalloc@libtoy
// ONLY-NOT: host.malloc
// LARGE: alloc,{{[0-9]+}},3145728,
// LARGE-NOT: alloc,{{[0-9]+}},{{[1-4]?[0-9]?[0-9]}},
#ifdef LIBRARY
#include "Inputs/toy.h"

HIDDEN void *mi_malloc_aligned(size_t size, size_t alignment) {
  (void)alignment;
  return toy_take(size);
}
HIDDEN void *mi_malloc(size_t size) { return mi_malloc_aligned(size, 16); }
HIDDEN void *mi_calloc(size_t count, size_t size) { return mi_malloc(count * size); }
HIDDEN void mi_free(void *p) { toy_drop(p); }
HIDDEN void *mi_realloc_aligned(void *p, size_t size, size_t alignment) {
  void *q = mi_malloc_aligned(size, alignment);
  if (q && p) {
    size_t old = ((size_t *)p)[-2];
    memcpy(q, p, old < size ? old : size);
    mi_free(p);
  }
  return q;
}
/* As the compiler builds it: without a call of mi_malloc. */
HIDDEN char *mi_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(toy_take(size), text, size);
}

void *lib_make(size_t size) {
  void *p = mi_malloc(size);
  __asm__(""); /* no tail call */
  return p;
}
void *lib_zero(size_t count, size_t size) {
  void *p = mi_calloc(count, size);
  __asm__("");
  return p;
}
void *lib_grow(void *p, size_t size) {
  p = mi_realloc_aligned(p, size, 64);
  __asm__("");
  return p;
}
void *lib_text(const char *text) {
  char *p = mi_strdup(text);
  __asm__("");
  return p;
}
void lib_drop(void *p) {
  mi_free(p);
  __asm__("");
}
size_t lib_live(void) { return toy_live; }
/* Before dlopen returns. */
void *lib_early;
__attribute__((constructor)) static void begin(void) { lib_early = lib_make(1000); }
#ifdef UNMAPS
/* A program that opens the library again and again does not run out of addresses. */
__attribute__((destructor)) static void end(void) { munmap(toy_end - TOY_ROOM, TOY_ROOM); }
#endif
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *(*make)(size_t), *(*zero)(size_t, size_t), *(*grow)(void *, size_t);
static void (*drop)(void *);

__attribute__((noinline)) static void *keep(size_t size) {
  void *p = make(size);
  __asm__("");
  return p;
}

static int made = 1;
static void *count(void *p) {
  if (p)
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
  return p;
}

static void *work(void *seed) {
  unsigned next = (unsigned)(uintptr_t)seed;
  void *held[16] = {0};
  for (int i = 0; i != 2000; ++i) {
    next = next * 1103515245 + 12345;
    void **at = &held[next >> 8 & 15];
    if (next & 1 << 20)
      *at = count(grow(*at, next >> 16 & 1023));
    else
      drop(*at), *at = count(zero(next >> 4 & 7, next >> 16 & 255));
  }
  return 0;
}

int main(int argc, char **argv) {
  (void)argc;
  void *lib = dlopen(argv[1], RTLD_NOW);
  *(void **)&make = dlsym(lib, "lib_make");
  *(void **)&zero = dlsym(lib, "lib_zero");
  *(void **)&grow = dlsym(lib, "lib_grow");
  *(void **)&drop = dlsym(lib, "lib_drop");
  size_t (*live)(void);
  *(void **)&live = dlsym(lib, "lib_live");
  void *(*text)(const char *);
  *(void **)&text = dlsym(lib, "lib_text");
  for (int i = 0; i != 100; ++i)
    drop(count(text("dropped")));
  for (int i = 0; i != 100; ++i)
    count(text("a text that stays"));
  void *block = count(keep(3 << 20));
  if (grow(block, (size_t)1 << 40)) /* fails: the block stays */
    return 1;
  pthread_t threads[8];
  for (uintptr_t i = 0; i != 8; ++i)
    pthread_create(&threads[i], 0, work, (void *)(i + 1));
  for (int i = 0; i != 8; ++i)
    pthread_join(threads[i], 0);
  // Bytes that live, and calls that made a block, but for the one before main.
  printf("%zu %d\n", live(), made);
  return 0;
}
#endif
