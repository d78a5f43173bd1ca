// Samples of resident memory take at most a two-hundredth of a run and 30 ms, here of a busy
// program of some seconds with a hundred mappings; what they take is in the trace.
//
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe 100 3000 > %t.cpu
// RUN: memstat --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/cost.py %t.json %t.cpu share
// RUN: memstat --show=resident %t.fb | FileCheck %s
// CHECK: {{[0-9]+}} samples of resident memory took {{.*}} of processor time, {{<?[01]}}.{{[0-9]}} % of the run of
// RUN: memdump %t.fb | FileCheck %s --check-prefix=TEXT
// TEXT: sample-cost {{[0-9]+}} samples of resident memory {{.*}} of processor time in
//
// In a short run with more of them, samples in turn and out of turn may each take 30 ms more.
// RUN: memrec -q -o %t.short.fb %t.exe 8000 500 > %t.cpu
// RUN: memstat --format=json %t.short.fb > %t.json
// RUN: %python %S/Inputs/cost.py %t.json %t.cpu bound
//
// RUN: memrec -q -o %t.none.fb --sample-interval=0 %t.exe 1 1 > %t.cpu
// RUN: memstat --format=json %t.none.fb | FileCheck %s --check-prefix=NONE
// NONE: "resident_samples": null

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static long cpuNs(void) {
  struct timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return T.tv_sec * 1000000000L + T.tv_nsec;
}

// cost MAPPINGS MILLISECONDS: prints the processor time of the process.
int main(int Argc, char **Argv) {
  enum { Bytes = 16 << 10 };
  int Mappings = Argc > 2 ? atoi(Argv[1]) : 1;
  long Ns = Argc > 2 ? atol(Argv[2]) * 1000000 : 0;
  // Each second one may not be written, so that no two become one.
  for (int I = 0; I != Mappings; ++I) {
    char *P = mmap(NULL, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(P, 1, Bytes);
    if (I % 2)
      mprotect(P, Bytes, PROT_READ);
    memset(malloc(200), 1, 200);
  }
  while (cpuNs() < Ns)
    ;
  printf("%ld\n", cpuNs());
  return 0;
}
