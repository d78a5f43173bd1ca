// The buffers of the streams that a program starts with are kept by design, those of files that it has not closed are not.
//
// RUN: %cc -O0 -g %s -o %t.exe && memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// CHECK: Live at the end: {{.*}} in 8 blocks
// CHECK: Kept by design: 4 KiB in 1 block
#include <stdio.h>

int main(int argc, char **argv) {
  for (int I = 0; I != 4; ++I) {
    FILE *Opened = fopen(argv[0], "r");
    fgetc(Opened);
  }
  puts("read");
  return 0;
}
