// 2,000 threads at once, all of which allocate: those beyond the rings that there
// are lose events, which are counted.
//
// RUN: %cc -O1 -g -pthread %s -o %t.exe
// RUN: %{same} --lost %t.fb -- %t.exe | FileCheck %s
// CHECK: "threads": {{[0-9]+}}

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { Threads = 2000, Rounds = 10 };
static pthread_barrier_t All;

static void *run(void *Unused) {
  (void)Unused;
  pthread_barrier_wait(&All);
  for (int I = 0; I != Rounds; ++I)
    free(malloc(1000));
  pthread_barrier_wait(&All);
  return NULL;
}

int main(void) {
  static pthread_t Each[Threads];
  pthread_attr_t Small;
  pthread_attr_init(&Small);
  pthread_attr_setstacksize(&Small, 64 << 10);
  pthread_barrier_init(&All, NULL, Threads);
  for (int I = 0; I != Threads; ++I)
    if (pthread_create(&Each[I], &Small, run, NULL) != 0)
      return 1;
  for (int I = 0; I != Threads; ++I)
    pthread_join(Each[I], NULL);
  puts("done");
  return 0;
}
