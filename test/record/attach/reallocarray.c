// Calls of reallocarray in a program that runs already are recorded as such, and not as libc's call of realloc.
//
// REQUIRES: python
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once:--no-census %t.fb -- %t.exe | FileCheck %s
// CHECK: memrec's status: 0
// RUN: memdump --check %t.fb
// RUN: memdump --table=stacks --format=csv %t.fb | FileCheck %s --check-prefix=STACKS
// STACKS-NOT: ,realloc,
// STACKS: ,0,reallocarray,
// STACKS-NEXT: ,1,main,
// STACKS-NOT: ,realloc,
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t ends;
static void end(int signal) { ends = signal; }

int main(void) {
  signal(SIGTERM, end);
  puts("ready");
  fflush(stdout);
  while (!ends) {
    char *volatile p = reallocarray(0, 10, 100);
    p = reallocarray(p, 20, 100);
    free(p);
    usleep(1000);
  }
  return 0;
}
