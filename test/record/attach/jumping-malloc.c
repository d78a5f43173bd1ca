// A library's malloc that jumps to another function, as allocators do, has no frame on the stack. A thread there holds
// the allocator's lock, and is not taken: memrec waits until it has left.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -shared -fPIC -DLIBRARY %s -o %t/libtoy.so -pthread
// RUN: %cc -O2 %s -o %t/program -L%t -ltoy -Wl,-rpath,%t -pthread
// RUN: %python %S/Inputs/attach.py once:--for=100ms,--no-census %t/t.fb -- %t/program | FileCheck %s
// CHECK: attached to process
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: left it
// CHECK-NEXT: the program's status: 0
#ifdef LIBRARY
#include "../private/Inputs/toy.h"
#include <time.h>

__attribute__((noinline)) static void *take(size_t size) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (size == 12345) {
    struct timespec t = {3, 0};
    nanosleep(&t, 0);
  }
  void *p = toy_take(size);
  pthread_mutex_unlock(&lock);
  return p;
}

void *malloc(size_t size) { return take(size); }
void free(void *p) { toy_drop(p); }
void *calloc(size_t many, size_t size) {
  void *p = take(many * size);
  return p ? memset(p, 0, many * size) : p;
}
void *realloc(void *p, size_t size) {
  void *q = take(size);
  if (q && p) {
    size_t old = ((size_t *)p)[-2];
    memcpy(q, p, old < size ? old : size);
    toy_drop(p);
  }
  return q;
}
#else
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, 0);
  puts("ready");
  fflush(stdout);
  char *p = malloc(12345);
  puts(p ? "left it" : "no memory");
  int signal;
  sigwait(&ends, &signal);
  return 0;
}
#endif
