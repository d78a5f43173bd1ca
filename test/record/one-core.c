// On one core the program waits for the recorder and ends all the same, with
// every event recorded.
//
// RUN: %cc -O1 %s -o %t.exe
// RUN: taskset -c 0 timeout 60 memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
// CHECK: "allocations": 300000,
// CHECK-NEXT: "frees": 300000,
// CHECK: "lost": 0,

#include <stdlib.h>
#include <unistd.h>

int main(void) {
  void *volatile Blocks[64] = {0};
  for (unsigned I = 0; I < 300000 + 64; ++I) {
    free(Blocks[I % 64]);
    Blocks[I % 64] = I < 300000 ? malloc(I % 1000) : NULL;
  }
  _exit(0);
}
