// MAP_FIXED over the end of one mapping and the begin of another: what it covers is
// freed, the rest stays. A range that is replaced whole is one free.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v -e " rss " -e " resident" | FileCheck %s

#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

static char *map(char *At, unsigned long Pages, int More) {
  return mmap(At, Pages * PAGE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | More, -1, 0);
}

int main(void) {
  // CHECK: alloc #0 80 KiB host.reserved
  char *Room = mmap(0, 20 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // CHECK: split #0 into #1 24 KiB
  // CHECK-NEXT: free #0
  // CHECK-NEXT: alloc #2 24 KiB host.mmap
  map(Room, 6, MAP_FIXED);
  // CHECK: split #1 into #3 24 KiB
  // CHECK-NEXT: free #1
  // CHECK-NEXT: alloc #4 24 KiB host.mmap
  map(Room + 6 * PAGE, 6, MAP_FIXED);
  // Over both of them:
  // CHECK: split #2 into #5 16 KiB
  // CHECK-NEXT: free #5
  // CHECK-NEXT: split #4 into #6 12 KiB
  // CHECK-NEXT: free #4
  // CHECK-NEXT: alloc #7 20 KiB host.mmap
  map(Room + 4 * PAGE, 5, MAP_FIXED);
  // MAP_FIXED_NOREPLACE fails and changes nothing.
#ifdef MAP_FIXED_NOREPLACE
  if (map(Room, 1, MAP_FIXED_NOREPLACE) == Room)
    return 1;
#endif
  // All at once:
  // CHECK: free #2
  // CHECK-NEXT: free #7
  // CHECK-NEXT: free #6
  // CHECK-NEXT: free #3
  // CHECK-NEXT: process-end 0
  munmap(Room, 20 * PAGE);
  _exit(0);
}
