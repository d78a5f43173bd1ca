// An allocator that takes its memory by mmap and sbrk: its blocks lie in the
// mapping, and no byte counts twice.
//
// RUN: %cc -O1 -g -fPIC -shared %S/Inputs/bump.c -o %t.so
// RUN: %cc -O0 -g %s -o %t.exe %t.so
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -v -e " rss " -e " resident" | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=SUM
// RUN: memleak %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memleak --heap=host.malloc %t.fb | FileCheck %s --check-prefix=INNER

#include <stdlib.h>
#include <unistd.h>

void *bump_end(void);

int main(void) {
  // CHECK: alloc #0 1 MiB host.mmap
  // CHECK: alloc #1 1000 B host.malloc in #0
  // CHECK: alloc #2 2 KiB host.malloc in #0
  void *volatile A = malloc(1000);
  void *volatile B = malloc(2048);
  // CHECK: free #1
  free(A);
  // The mapping goes before what lies in it.
  // CHECK: free #0
  // CHECK: free #2
  bump_end();
  free(B);
  // CHECK: alloc #3 1 MiB host.mmap
  // CHECK: alloc #4 3 KiB host.malloc in #3
  void *volatile C = malloc(3072);
  _exit(C == 0);
}

// SUM: "totals":
// SUM-NEXT: "allocated_bytes": {{[0-9]+}},
// SUM: "live_bytes": 1048576,
// SUM-NEXT: "live_at_exits_bytes": 1048576,
// SUM-NEXT: "live_blocks": 1,
// SUM-NEXT: "peak_bytes": 1048576,

// LEAK: 1 MiB in
// INNER: 3 KiB in 1 block
