// A million scopes in two threads: none is lost, what is kept for answers is
// bounded, and the newest still has one.
//
// RUN: %cc -O1 -g -I%src_root/include %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --scopes --format=csv %t.fb | cut -d, -f1,2,4 | FileCheck %s
// RUN: memdump --check %t.fb

#include <assert.h>
#include <memkit/memkit.h>
#include <pthread.h>
#include <stdlib.h>

static void *run(void *P) {
  for (int I = 0; I != 250000; ++I) {
    uint64_t Outer = memkit_scope_begin("outer");
    uint64_t Inner = memkit_scope_begin("inner");
    if (I % 1000 == 0)
      free(malloc(100));
    memkit_scope_end(Inner);
    memkit_scope_end(Outer);
  }
  return P;
}

int main(void) {
  pthread_t T;
  pthread_create(&T, 0, run, 0);
  run(0);
  pthread_join(T, 0);
  uint64_t First = memkit_scope_begin("last");
  memkit_scope_end(First);
  struct memkit_stats S;
  assert(memkit_stats(First, &S));
  assert(!memkit_stats(1, &S));
  return 0;
}

// CHECK-DAG: inner,500000,
// CHECK-DAG: outer,500000,
