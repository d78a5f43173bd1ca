// --min-size leaves small blocks out, with their frees; what grows over the limit
// comes in, what shrinks below it goes.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q --min-size=1KiB -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -Ev ' (rss|resident|resident-piece) ' | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=SUM
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=ASM
// RUN: not memrec --min-size=large -o %t.no %t.exe 2>&1 | FileCheck %s --check-prefix=BAD

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  void *Small = malloc(100);
  // CHECK: alloc #0 1 KiB host.malloc
  void *Large = malloc(1024);
  free(Small);
  // CHECK: free #0
  free(Large);
  // Asked for less, though there is room for more:
  void *volatile Nearly = malloc(1020);
  free(Nearly);
  // The same address, larger now:
  // CHECK: alloc #1 1 KiB host.malloc
  void *P = malloc(1028);
  // CHECK: free #1
  P = realloc(P, 10);
  // CHECK-NEXT: alloc #2 4 KiB host.malloc
  P = realloc(P, 4096);
  // CHECK: free #2
  // CHECK-NEXT: alloc #3 8 KiB host.malloc
  P = realloc(P, 8192);
  // CHECK: free #3
  free(P);
  for (int I = 0; I != 1000; ++I)
    free(malloc(I));
  // CHECK-NEXT: process-end 0
  _exit(0);
}

// SUM: "allocations": 4,
// SUM-NEXT: "frees": 4,
// SUM: "lost": 0,
// SUM: "live_bytes": 0,
// ASM: min-size=1024
// BAD: --min-size=large
