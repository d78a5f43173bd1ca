// A reservation is address space, not memory: 1 TiB of it is in a heap outside the
// totals. What mprotect makes accessible is memory from then on, until it is
// made inaccessible again.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v -e " rss " -e " resident" | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=SUM
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON
// RUN: memleak -v %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memleak -v --heap=host.reserved %t.fb | FileCheck %s --check-prefix=HEAP

#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

int main(void) {
  // CHECK: alloc #0 1 TiB host.reserved
  char *P = mmap(0, 1ul << 40, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // CHECK: split #0 into #1 64 KiB
  // CHECK-NEXT: free #0
  // CHECK-NEXT: alloc #2 64 KiB host.mmap stack [[#S:]]
  // CHECK-NEXT: stack [[#S]]:
  // CHECK-NEXT: mprotect
  // CHECK-NEXT: main (reserve.c:[[#@LINE+1]])
  mprotect(P, 16 * PAGE, PROT_READ | PROT_WRITE);
  // What is accessible stays so: no event.
  mprotect(P, 16 * PAGE, PROT_READ);
  mprotect(P + PAGE, PAGE, PROT_READ | PROT_WRITE);
  // Over the border, only what is new:
  // CHECK: split #1 into #3 32 KiB
  // CHECK-NEXT: free #1
  // CHECK-NEXT: alloc #4 32 KiB host.mmap
  mprotect(P + 8 * PAGE, 16 * PAGE, PROT_READ | PROT_WRITE);
  // A page in the middle is given up:
  // CHECK: split #2 into #5 16 KiB
  // CHECK-NEXT: split #5 into #6 4 KiB
  // CHECK-NEXT: free #5
  // CHECK-NEXT: alloc #7 4 KiB host.reserved
  mprotect(P + 4 * PAGE, PAGE, PROT_NONE);
  // Accessible at once, and yet only reserved:
  // CHECK: alloc #8 1 GiB host.reserved
  char *Q = mmap(0, 1ul << 30, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  Q[0] = P[0];
  // CHECK: process-end 0
  _exit(0);
}

// SUM: heap {{.*}} peak
// SUM-NEXT: host {{.*}} 96 KiB {{.*}} ms
// SUM-NEXT: host.malloc
// SUM-NEXT: host.mmap
// SUM-NEXT: not in the totals
// SUM-NEXT: host.reserved {{.*}} 1 TiB
// JSON: "totals":
// JSON: "live_bytes": 94208,
// JSON: "peak_bytes": 98304,

// LEAK: 92 KiB in 3 blocks live at the end
// LEAK-NOT: host.reserved
// HEAP: host.reserved 1 TiB
