// Every function of the malloc family, once each: sizes as asked for, nothing for
// what failed.
//
// RUN: %cc -O0 -g -w %s -o %t
// RUN: %wiredrain --stacks -- %t | FileCheck %s --match-full-lines
//
// CHECK:      1/0 thread-start none size 0
// CHECK-NEXT: 1/0 alloc malloc size 100 {{host.c.tmp[+].*}} depth 4
// CHECK-NEXT: 1/0 alloc calloc size 21 {{.*}}
// CHECK-NEXT: 1/0 realloc-begin none size 0
// CHECK-NEXT: 1/0 realloc-end realloc size 5000 {{.*}}
// CHECK-NEXT: 1/0 alloc reallocarray size 16 {{.*}}
// CHECK-NEXT: 1/0 alloc posix_memalign size 65 {{.*}}
// CHECK-NEXT: 1/0 alloc aligned_alloc size 96 {{.*}}
// CHECK-NEXT: 1/0 alloc memalign size 10 {{.*}}
// CHECK-NEXT: 1/0 alloc valloc size 11 {{.*}}
// CHECK-NEXT: 1/0 alloc pvalloc size 12 {{.*}}
// CHECK-NEXT: 1/0 alloc malloc size 0 {{.*}}
// CHECK-NEXT: 1/0 free none size 0
//   realloc(p, 0) frees; malloc, calloc with overflow, reallocarray with overflow
//   fail and leave nothing; realloc fails and the block lives on:
// CHECK-NEXT: 1/0 free none size 0
// CHECK-NEXT: 1/0 realloc-begin none size 0
// CHECK-NEXT: 1/0 realloc-end realloc size 0 null
// CHECK-COUNT-7: 1/0 free none size 0
// CHECK-NEXT: 1/0 alloc malloc size 13 libc{{.*}} {{host.c.tmp[+].*}} depth 5
// CHECK-NEXT: process 1 parent 0: allocations 10 reallocations 1 frees 9 bytes 5344
// CHECK-NEXT: process 1 live 1 blocks 13 bytes unknown 0 twice 0 lost 0

#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *volatile Sink;

int main(void) {
  void *A = malloc(100);
  void *B = calloc(3, 7);
  A = realloc(A, 5000);
  void *C = reallocarray(0, 4, 4);
  void *D;
  posix_memalign(&D, 64, 65);
  void *E = aligned_alloc(32, 96);
  void *F = memalign(64, 10);
  void *G = valloc(11);
  void *H = pvalloc(12);
  void *I = malloc(0);
  free(B);
  if (realloc(I, 0))
    return 1;
  volatile size_t Huge = SIZE_MAX / 2;
  errno = 0;
  if (malloc(Huge) || errno != ENOMEM)
    return 2;
  errno = 0;
  if (calloc(Huge, 3) || errno != ENOMEM)
    return 3;
  errno = 0;
  if (realloc(A, Huge) || errno != ENOMEM)
    return 4;
  errno = 0;
  if (reallocarray(A, Huge, 8) || errno != ENOMEM)
    return 5;
  free(NULL);
  free(C);
  free(D);
  free(E);
  free(F);
  free(G);
  free(H);
  free(A);
  Sink = strdup("leak of 13b.");
  return 0;
}
