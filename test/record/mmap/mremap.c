// mremap: in place it is a change of size, elsewhere a free and an allocation. A
// failed one changes nothing.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v -e " rss " -e " resident" | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=SUM

#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

int main(void) {
  // CHECK: alloc #0 400 KiB host.mmap
  char *Room = mmap(0, 100 * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // CHECK: resize #0 40 KiB
  if (mremap(Room, 100 * PAGE, 10 * PAGE, 0) != Room)
    return 1;
  // It has room to grow, in bytes that are rounded up.
  // CHECK-NEXT: resize #0 80 KiB
  if (mremap(Room, 10 * PAGE, 20 * PAGE - 5, 0) != Room)
    return 2;
  // CHECK-NEXT: alloc #1 4 KiB host.mmap
  char *Wall = mmap(Room + 20 * PAGE, PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  // Now it has none, and may not move:
  if (mremap(Room, 20 * PAGE, 30 * PAGE, 0) != MAP_FAILED)
    return 3;
  // CHECK: free #0
  // CHECK-NEXT: alloc #2 120 KiB host.mmap stack [[#S:]]
  // CHECK-NEXT: stack [[#S]]:
  // CHECK-NEXT: mremap
  // CHECK-NEXT: main (mremap.c:[[#@LINE+1]])
  char *Moved = mremap(Room, 20 * PAGE, 30 * PAGE, MREMAP_MAYMOVE);
  if (Moved == Room)
    return 4;
  // A part of it goes over the wall.
  // CHECK: split #2 into #3 112 KiB
  // CHECK-NEXT: free #3
  // CHECK-NEXT: free #1
  // CHECK-NEXT: alloc #4 8 KiB host.mmap
  if (mremap(Moved + 28 * PAGE, 2 * PAGE, 2 * PAGE,
             MREMAP_MAYMOVE | MREMAP_FIXED, Wall) != Wall)
    return 5;
  // A second view of shared pages: the first stays.
  // CHECK: alloc #5 4 KiB host.mmap
  // CHECK: alloc #6 4 KiB host.mmap
  char *Shared = mmap(0, PAGE, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char *Second = mremap(Shared, 0, PAGE, MREMAP_MAYMOVE);
  // CHECK: free #5
  // CHECK-NEXT: free #6
  munmap(Shared, PAGE);
  munmap(Second, PAGE);
  // A reservation stays one.
  // CHECK-NEXT: alloc #7 16 KiB host.reserved
  // CHECK: free #7
  // CHECK-NEXT: alloc #8 4 MiB host.reserved
  char *Reserved = mmap(Room, 4 * PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  mremap(Reserved, 4 * PAGE, 1024 * PAGE, MREMAP_MAYMOVE);
  // CHECK: process-end 0
  _exit(0);
}

// SUM: "lost": 0,
// SUM: "totals":
// SUM: "live_bytes": 122880,
// SUM-NEXT: "live_at_exits_bytes": 122880,
// SUM-NEXT: "live_blocks": 2,
