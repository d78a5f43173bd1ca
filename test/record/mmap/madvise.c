// madvise changes what the kernel keeps in memory, not what the program has: it is
// no event.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v -e " rss " -e " resident" | FileCheck %s

#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  // CHECK: alloc #0 4 MiB host.mmap
  // CHECK-NEXT: stack 1:
  // CHECK-NEXT: mmap
  // CHECK-NEXT: main
  // CHECK-NOT: {{alloc|free|split|resize}}
  // CHECK: process-end 0
  size_t Size = 4 << 20;
  char *P = mmap(0, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
  madvise(P, Size, MADV_HUGEPAGE);
  memset(P, 1, Size);
  madvise(P, Size, MADV_DONTNEED);
  memset(P, 1, Size / 2);
  madvise(P, Size / 2, MADV_FREE);
  _exit(P[Size - 1]);
}
