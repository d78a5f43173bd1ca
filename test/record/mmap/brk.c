// The program's own break, beside that of malloc.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v -e " rss " -e " resident" | FileCheck %s

#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  // CHECK: alloc #0 1000 B host.brk stack 1
  // CHECK: sbrk
  char *P = sbrk(1000);
  // CHECK: alloc #1 5 KiB host.brk
  // CHECK: brk
  brk(P + 6120);
  // CHECK: split #1 into #2 4 KiB
  // CHECK-NEXT: free #2
  sbrk(-1024);
  // malloc moves the break, too, but that is its own affair.
  // CHECK: alloc #3 100 B host.malloc
  void *volatile M = malloc(100);
  // CHECK: free #3
  free(M);
  // CHECK-NOT: {{alloc|free|split|resize}}
  // CHECK: process-end 0
  if (sbrk(0) == P || sbrk(1ul << 60) != (void *)-1)
    return 1;
  _exit(0);
}
