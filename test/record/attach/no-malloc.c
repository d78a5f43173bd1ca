// A program without a call of malloc: libc allocates for it. memrec says that blocks of malloc are not recorded.
//
// REQUIRES: python
// RUN: %cc -O0 %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once:--no-census %t.fb -- %t.exe | FileCheck %s
// CHECK: memrec: attached to process
// CHECK-NEXT: memrec: no call of malloc was found in its binaries: blocks of malloc are not recorded
// CHECK: memrec's status: 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  puts("ready");
  fflush(stdout);
  for (;;) {
    free(strdup("text"));
    usleep(1000);
  }
}
