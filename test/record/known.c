// Every allocation of this program is known.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: not memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=SUM

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

// CHECK: alloc #0 100 B host.malloc stack 1
// CHECK: stack 1:
// CHECK-NEXT: malloc
// CHECK-NEXT: one (known.c:[[#@LINE+2]])
// CHECK-NEXT: main (known.c:
static void *one(void) { return malloc(100); }

int main(void) {
  void *A = one();
  // CHECK: alloc #1 12 B
  // CHECK: calloc
  void *B = calloc(3, 4);
  // CHECK: alloc #2 0 B
  void *C = malloc(0);
  // CHECK: free #1
  free(B);
  // A realloc is a free and an allocation at one time.
  // CHECK: free #0
  // CHECK: alloc #3 1000 B
  // CHECK: realloc
  A = realloc(A, 1000);
  // CHECK: alloc #4 64 B
  // CHECK: aligned_alloc
  void *D = aligned_alloc(64, 64);
  // CHECK: alloc #5 32 B
  // CHECK: posix_memalign
  void *E;
  if (posix_memalign(&E, 32, 32) != 0)
    return 1;
  // CHECK: free #4
  free(D);
  // CHECK-NOT: alloc
  // CHECK: process-end 5
  _exit(A && C && E ? 5 : 0);
}

// SUM: "allocations": 6,
// SUM-NEXT: "frees": 3,
// SUM: "lost": 0,
// SUM: "totals":
// SUM-NEXT: "allocated_bytes": 1208,
// SUM-NEXT: "freed_bytes": 176,
// SUM-NEXT: "live_bytes": 1032,
// SUM-NEXT: "live_at_exits_bytes": 1032,
// SUM-NEXT: "live_blocks": 3,
// SUM-NEXT: "peak_bytes": 1096,
