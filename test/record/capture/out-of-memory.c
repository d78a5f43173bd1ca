// Requests for which there is no memory are recorded, each once; what fails for
// another reason, or takes no memory, is not.
//
// RUN: %cc -O0 -g -Wno-alloc-size-larger-than %s -o %t
// RUN: %wiredrain --heaps 3 -- sh -c 'ulimit -v 300000; exec "%t"' | grep '^oom\|^status' | FileCheck %s --match-full-lines
//      CHECK:oom malloc size 1073741824
// CHECK-NEXT:oom calloc size 1073741824
// CHECK-NEXT:oom realloc size 1073741824
// CHECK-NEXT:oom realloc size 1073741824
// CHECK-NEXT:oom reallocarray size 1073741824
// CHECK-NEXT:oom posix_memalign size 1073741824
// CHECK-NEXT:oom aligned_alloc size 1073741824
// CHECK-NEXT:oom memalign size 1073741824
// CHECK-NEXT:oom valloc size 1073741824
// CHECK-NEXT:oom mmap size 1073741824
// CHECK-NEXT:oom mremap size 1073741824
// CHECK-NEXT:status 0

#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static const size_t Large = 1 << 30;
static void *volatile Sink;

/// Ends the program unless P is null and errno says why.
static void refused(void *P) {
  if (P || errno != ENOMEM)
    exit(1);
  errno = 0;
}

static void refusedMap(void *P) { refused(P == MAP_FAILED ? NULL : P); }

static void *map(int Prot, int Flags) {
  return mmap(NULL, Large, Prot, MAP_PRIVATE | MAP_ANONYMOUS | Flags, -1, 0);
}

int main(void) {
  void *Small = malloc(100);
  void *To = NULL;
  refused(malloc(Large));
  refused(calloc(1 << 10, 1 << 20));
  refused(realloc(Small, Large));
  refused(realloc(Sink, Large)); // null
  refused(reallocarray(Small, 1 << 10, 1 << 20));
  if (posix_memalign(&To, 64, Large) != ENOMEM)
    return 2;
  refused(aligned_alloc(64, Large));
  refused(memalign(64, Large));
  refused(valloc(Large));
  refusedMap(map(PROT_READ | PROT_WRITE, 0));
  void *Page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  refusedMap(mremap(Page, 4096, Large, MREMAP_MAYMOVE));

  // Pages that take no memory, errors of the program, and sizes of no machine.
  refusedMap(map(PROT_NONE, 0));
  refusedMap(map(PROT_READ | PROT_WRITE, MAP_NORESERVE));
  if (posix_memalign(&To, 3, 64) != EINVAL)
    return 3;
  Sink = malloc(SIZE_MAX / 2);
  Sink = calloc(SIZE_MAX / 2, 4);
  Sink = reallocarray(Small, SIZE_MAX / 2, 4);
  free(Small);
  return 0;
}
