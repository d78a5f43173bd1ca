// A program that handles faults all the time, as virtual machines do, and in which each thread's stack is full now and
// then: memrec tries again until the thread's own fault is over.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O1 %s -o %t/program
// RUN: %python %S/Inputs/attach.py cycles:5,--no-census %t/t.fb -- %t/program | FileCheck %s
// CHECK: cycles: 5
// CHECK-NEXT: mappings left: 0
// CHECK-NEXT: the program: faults some
// CHECK-NEXT: the program's status: 0
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf back;
static volatile sig_atomic_t ends;

static void end(int number) { ends = number; }

static void fault(int number) {
  (void)number;
  free(malloc(333));
  siglongjmp(back, 1);
}

static int fillStack(int depth) {
  volatile char bytes[1000];
  if (depth < 0)
    return 0;
  bytes[depth % 1000] = 1;
  return fillStack(depth + 1) + bytes[3];
}

int main(void) {
  stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  struct sigaction onFault = {.sa_handler = fault, .sa_flags = SA_ONSTACK};
  if (sigaltstack(&other, 0) || sigaction(SIGSEGV, &onFault, 0))
    return 1;
  signal(SIGTERM, end);
  puts("ready");
  fflush(stdout);
  volatile unsigned long faults = 0;
  while (!ends) {
    if (!sigsetjmp(back, 1)) {
      if (faults % 10)
        *(volatile int *)8 = 1;
      else
        fillStack(0);
    }
    ++faults;
  }
  puts(faults ? "faults some" : "faults none");
  return 0;
}
