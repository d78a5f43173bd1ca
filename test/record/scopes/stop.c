// While a program has stopped recording no allocation is recorded, but the free
// of what was; marks say from when to when.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -E 'alloc +#|free +#|record-o' | sort -n | FileCheck %s
// RUN: memleak %t.fb | FileCheck %s --check-prefix=LEAK

#include <assert.h>
#include <memkit/memkit.h>
#include <stdlib.h>

static void *volatile P[4];

int main(void) {
  P[0] = malloc(30001);
  P[1] = malloc(30002);
  memkit_stop();
  memkit_stop();
  assert(!memkit_recording());
  free(P[0]);
  P[2] = malloc(30003);
  P[1] = realloc(P[1], 30004);
  free(malloc(30005));
  memkit_start();
  assert(memkit_recording());
  free(P[1]);
  free(P[2]);
  free(malloc(30006));
  return 0;
}

// CHECK:     alloc #0 29.3 KiB
// CHECK:     alloc #1 29.3 KiB
// CHECK:     record-off
// CHECK-NOT: alloc
// CHECK:     free #0
// CHECK-NOT: alloc
// CHECK:     free #1
// CHECK-NOT: alloc
// CHECK:     record-on
// CHECK:     alloc #2 29.3 KiB
// CHECK:     free #2
// LEAK-NOT:  lost
