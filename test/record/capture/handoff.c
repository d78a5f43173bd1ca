// Two threads hand one address back and forth: every event comes in the order
// in which it happened.
//
// RUN: %cc -O2 -fno-builtin -g -pthread %s -o %t
// RUN: %wiredrain -- %t 300000 | FileCheck %s
//
// CHECK: unknown 0 twice 0 lost 0

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) Box;
static long Rounds;

static void *taker(void *Arg) {
  for (long I = 0; I < Rounds; ++I) {
    void *P;
    while (!(P = atomic_load_explicit(&Box, memory_order_acquire)))
      ;
    free(P);
    atomic_store_explicit(&Box, 0, memory_order_release);
  }
  return 0;
}

int main(int Argc, char **Argv) {
  pthread_t T;
  Rounds = atol(Argv[1]);
  pthread_create(&T, 0, taker, 0);
  for (long I = 0; I < Rounds; ++I) {
    // Past the size of the allocator's caches of threads: it comes back.
    void *P = malloc(2000);
    atomic_store_explicit(&Box, P, memory_order_release);
    while (atomic_load_explicit(&Box, memory_order_acquire))
      ;
  }
  pthread_join(T, 0);
  return 0;
}
