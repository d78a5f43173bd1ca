// What glibc maps for malloc is in malloc's heap alone.
//
// RUN: %cc -O0 -g %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s

// CHECK: host.malloc
// CHECK-NOT: host.mmap
// CHECK-NOT: host.brk
// CHECK-NOT: host.reserved

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *run(void *P) {
  // A thread has an arena of its own.
  for (int I = 0; I != 1000; ++I)
    free(malloc(1000 * I));
  return P;
}

int main(void) {
  void *volatile Large = malloc(100 << 20);
  void *volatile More = realloc(Large, 200 << 20);
  pthread_t T;
  pthread_create(&T, 0, run, 0);
  run(0);
  pthread_join(T, 0);
  free(More);
  _exit(0);
}
