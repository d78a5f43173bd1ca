// A hole in a mapping is split, split, free: the rest keeps its stack. A free at
// an end is a split and a free.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v " rss \| resident" | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=SUM
// RUN: memleak -v %t.fb | FileCheck %s --check-prefix=LEAK

#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

int main(void) {
  // CHECK: alloc #0 40 KiB host.mmap stack 1
  // CHECK: stack 1:
  // CHECK-NEXT: mmap
  // CHECK-NEXT: main (hole.c:[[#@LINE+1]])
  char *P = mmap(0, 10 * PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // CHECK: split #0 into #1 16 KiB
  // CHECK-NEXT: split #1 into #2 8 KiB
  // CHECK-NEXT: free #1
  munmap(P + 4 * PAGE, 2 * PAGE);
  // The head of the first part:
  // CHECK-NEXT: split #0 into #3 4 KiB
  // CHECK-NEXT: free #0
  munmap(P, PAGE);
  // The tail of the last one, and what lies behind it:
  // CHECK-NEXT: split #2 into #4 12 KiB
  // CHECK-NEXT: free #4
  munmap(P + 9 * PAGE, PAGE);
  // Nothing is there any more:
  munmap(P + 4 * PAGE, 2 * PAGE);
  // What the kernel refuses is no event.
  if (munmap(P + 1, PAGE) == 0 || munmap(P, 0) == 0)
    return 1;
  // CHECK-NEXT: process-end 0
  _exit(0);
}

// SUM: "allocations": 1,
// SUM-NEXT: "frees": 3,
// SUM: "lost": 0,
// SUM: "totals":
// SUM-NEXT: "allocated_bytes": 40960,
// SUM-NEXT: "freed_bytes": 16384,
// SUM-NEXT: "live_bytes": 24576,
// SUM-NEXT: "live_at_exits_bytes": 24576,
// SUM-NEXT: "live_blocks": 2,
// SUM-NEXT: "peak_bytes": 40960,

// LEAK: 24 KiB in 2 blocks of host.mmap
// LEAK-NEXT: mmap
// LEAK-NEXT: main ({{.*}}hole.c:
