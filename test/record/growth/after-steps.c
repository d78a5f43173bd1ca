// A program lives on behind its steps for longer than they took: it is judged by time, and not by its steps
// alone. What they gathered and then dropped is no leak; what it loses afterwards is one.
//
// RUN: %cc -O1 -g -I %src_root/include %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growing %t.fb > %t.out; test $? -eq 3
// CHECK: {{^(LEAK|grows)}}  after-steps.c:[[#]] serve  +{{.*}} per second
// CHECK-NOT: {{^(LEAK|grows).*}} gather

#include <memkit/memkit.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { Steps = 200 };
static void *Gathered[Steps], *volatile Lost;

static double now(void) {
  struct timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return (double)T.tv_sec + (double)T.tv_nsec / 1e9;
}

__attribute__((noinline)) static void *gather(void) {
  return memset(malloc(50000), 1, 50000);
}

__attribute__((noinline)) static void serve(void) {
  Lost = memset(malloc(10000), 1, 10000);
}

int main(void) {
  for (int I = 0; I != Steps; ++I) {
    memkit_step();
    Gathered[I] = gather();
    free(malloc(300000));
    usleep(3000);
  }
  for (int I = 0; I != Steps; ++I)
    free(Gathered[I]);
  for (double End = now() + 7; now() < End; usleep(5000)) {
    serve();
    free(malloc(400000));
  }
  return 0;
}
