// Threads that free what others allocated; destructors of thread-specific data
// that allocate; more threads than rings at once is another test.
//
// RUN: %cc -O1 -fno-builtin -g -pthread %s -o %t
// RUN: %wiredrain -- %t | FileCheck %s
//
// 8 threads x (20,000 blocks, each freed by another thread, 55 and 33 bytes of the
// destructors, 7 that leak) and what pthread_create takes, some of it for later.
//
// CHECK: allocations 1600{{3[2-9]|4[0-9]}} reallocations 0
// CHECK-NEXT: unknown 0 twice 0 lost 0
// CHECK-NEXT: threads 9 ended 8
// CHECK-NEXT: table-full 0 no-ring 0 reentrant 0

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { Threads = 8, Rounds = 20000 };
static _Atomic(void *) Mailbox[Threads];
static pthread_key_t Late;

static void whenThreadEnds(void *P) {
  free(P);
  free(malloc(33));
}

static void *work(void *Arg) {
  long Me = (long)Arg;
  pthread_setspecific(Late, malloc(55));
  for (int I = 0; I < Rounds; ++I) {
    void *Other = atomic_exchange(&Mailbox[(Me + 1) % Threads], malloc(16 + I % 100));
    free(Other);
  }
  malloc(7);
  return 0;
}

int main(void) {
  pthread_t T[Threads];
  pthread_key_create(&Late, whenThreadEnds);
  for (long I = 0; I < Threads; ++I)
    pthread_create(&T[I], 0, work, (void *)I);
  for (int I = 0; I < Threads; ++I)
    pthread_join(T[I], 0);
  for (int I = 0; I < Threads; ++I)
    free(Mailbox[I]);
  return 0;
}
