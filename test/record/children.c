// 200 short children, one after another: the peak over all of them is exact,
// since each ends before the next begins. Each third frees its block itself.
//
// RUN: %cc -O0 %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
//
// CHECK: "allocations": 201,
// CHECK-NEXT: "frees": 67,
// CHECK: "lost": 0,
// CHECK: "totals":
// CHECK: "peak_bytes": 3000199,
// CHECK: "heaps":

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  char *volatile Keep = malloc(1000000);
  for (int I = 0; I < 200; ++I) {
    pid_t Child = fork();
    if (Child == 0) {
      char *volatile Block = malloc(2000000 + I);
      Block[0] = 1;
      if (I % 3 == 0)
        free(Block);
      _exit(0);
    }
    int Status;
    if (waitpid(Child, &Status, 0) != Child || Status != 0)
      return 1;
  }
  _exit(Keep == NULL);
}
