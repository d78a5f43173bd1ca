// A program that has reserved far more memory than there is, as a runtime does for its heap: what was not touched takes
// the census no time.
//
// REQUIRES: python, page-scan
// RUN: %cc -O1 %s -o %t.exe
// RUN: timeout 60 %python %S/Inputs/count.py %t.fb --census=exact -- %t.exe | FileCheck %s
// CHECK: 10 MiB of malloc in 1,{{0[0-9][0-9]}} blocks
// CHECK: memrec's status: 0
// CHECK: the program's status: 0

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *volatile Kept[1000];

int main(void) {
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &Ends, 0);
  for (int I = 0; I != 8; ++I) {
    char *P = mmap(0, 1ul << 42, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (P == MAP_FAILED)
      return 1;
    P[1ul << (30 + I)] = 1;
  }
  for (int I = 0; I != 1000; ++I)
    Kept[I] = malloc(10480);
  puts("ready");
  fflush(stdout);
  int Signal;
  sigwait(&Ends, &Signal);
  return 0;
}
