// Thousands of threads that each do little, many of them at the same time: each
// thread's ring is given back and used again.
//
// RUN: %cc -O1 -g -pthread %s -o %t.exe
// RUN: %{same} %t.fb -- %t.exe | FileCheck %s
// CHECK: "allocations": {{[4-9][0-9][0-9][0-9]|1[0-9][0-9][0-9][0-9]}}

#include <pthread.h>
#include <stdlib.h>

static void *run(void *Unused) {
  (void)Unused;
  free(malloc(100));
  return NULL;
}

int main(void) {
  for (int Round = 0; Round != 500; ++Round) {
    pthread_t Threads[8];
    for (int I = 0; I != 8; ++I)
      if (pthread_create(&Threads[I], NULL, run, NULL) != 0)
        return 1;
    for (int I = 0; I != 8; ++I)
      pthread_join(Threads[I], NULL);
  }
  return 0;
}
