// Two threads hand one address back and forth: every event comes in the order
// in which it happened.
//
// RUN: %cc -O2 -fno-builtin -g -pthread %s -o %t
// RUN: %wiredrain -- %t 300000 | FileCheck %s
//
// CHECK: unknown 0 twice 0 lost 0

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) Box;
static long Rounds;

/// Spins, but not where the other waits for this core.
static void *wait_for(int Full) {
  void *P;
  for (long Spins = 1; !(P = atomic_load_explicit(&Box, memory_order_acquire)) == Full;
       ++Spins)
    if (Spins % 1000 == 0)
      sched_yield();
  return P;
}

static void *taker(void *Arg) {
  for (long I = 0; I < Rounds; ++I) {
    free(wait_for(1));
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
    wait_for(0);
  }
  pthread_join(T, 0);
  return 0;
}
