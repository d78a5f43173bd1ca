// A thread's stack is a block from the thread's begin to its end, of the call that
// made it. One that the program brings is counted where it comes from.
//
// RUN: %cc -O0 -g %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v "malloc\| rss " | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *run(void *P) { return P; }

// CHECK: alloc #[[#A:]] 256 KiB host.stack stack [[#S:]]
// CHECK-NEXT: stack [[#S]]:
// CHECK-NEXT: pthread_create
// CHECK-NEXT: start (stack.c:[[#@LINE+4]])
static void start(const pthread_attr_t *A) {
  pthread_t T;
  void *Result;
  if (pthread_create(&T, A, run, &T) || pthread_join(T, &Result) || Result != &T)
    abort();
}
// CHECK: free #[[#A]]

int main(void) {
  pthread_attr_t A;
  pthread_attr_init(&A);
  pthread_attr_setstacksize(&A, 256 << 10);
  start(&A);
  // The stack is used again.
  // CHECK: alloc #[[#B:]] 256 KiB host.stack
  // CHECK: free #[[#B]]
  start(&A);
  // CHECK: alloc #[[#]] 128 KiB host.mmap
  // CHECK-NOT: host.stack
  // CHECK: process-end 0
  void *Own = mmap(0, 128 << 10, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_setstack(&A, Own, 128 << 10);
  start(&A);
  exit(0);
}

// JSON: "name": "host.stack"
// JSON: "allocations": 2,
// JSON-NEXT: "frees": 2,
// JSON-NEXT: "allocated_bytes": 524288,
// JSON: "live_bytes": 0,
// JSON: "in_totals": false
