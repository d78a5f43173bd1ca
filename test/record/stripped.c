// A program without symbols: its stacks show addresses, and memrec says why; not of
// one that has them, and not with -q.
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -o %t.fb %t.exe 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED-NOT: symbols
// NAMED: events, 0 lost
// NAMED-NOT: symbols
// RUN: strip %t.exe -o %t.stripped
// RUN: memrec -o %t.fb %t.stripped 2>&1 | FileCheck %s
// CHECK: memrec: stripped.c.tmp.stripped has no symbols; its functions appear as addresses (memdump --symbolize adds names)
// RUN: memrec -q -o %t.fb %t.stripped 2>&1 | count 0
// RUN: memflame --format=collapsed %t.fb | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: stripped.c.tmp.stripped+0x

// With the program itself in its place again, names come.
// RUN: rm -rf %t.dir && mkdir %t.dir && cp %t.stripped %t.dir/a
// RUN: memrec -q -o %t.fb %t.dir/a && cp %t.exe %t.dir/a
// RUN: memdump --symbolize -o %t.named.fb %t.fb
// RUN: memflame --format=collapsed %t.named.fb | FileCheck %s --check-prefix=BACK
// BACK: main;grow1;grow2;grow3;grow4;malloc 80
#include <stdlib.h>

static void *volatile Kept;
__attribute__((noinline)) static void grow4(void) { Kept = malloc(40); }
__attribute__((noinline)) static void grow3(void) { grow4(); }
__attribute__((noinline)) static void grow2(void) { grow3(); }
__attribute__((noinline)) static void grow1(void) { grow2(); }

int main(void) {
  for (int I = 0; I < 3; ++I) {
    void *Before = Kept;
    grow1();
    free(Before);
  }
  return 0;
}
