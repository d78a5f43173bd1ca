// A forked child starts with nothing: what it inherited it may free, which is
// counted and changes no sum; reallocating it is an allocation.
//
// RUN: %cc -O0 %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=TEXT
//
// CHECK: "allocations": 12,
// CHECK-NEXT: "frees": 3,
// CHECK: "lost": 0,
// CHECK: "inherited_frees": 10
// CHECK: "totals":
// CHECK: "live_bytes": 8500,
// CHECK-NEXT: "live_at_exits_bytes": 8500,
// CHECK-NEXT: "live_blocks": 9,
// TEXT: 2 {{.*}} 1 {{.*}} exit 6

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  void *Blocks[10];
  for (int I = 0; I < 10; ++I)
    Blocks[I] = malloc(1000);
  pid_t Child = fork();
  if (Child == 0) {
    for (int I = 0; I < 9; ++I)
      free(Blocks[I]);
    void *volatile Moved = realloc(Blocks[9], 500);
    void *volatile Own = malloc(77);
    free(Own);
    _exit(Moved ? 6 : 1);
  }
  int Status;
  if (waitpid(Child, &Status, 0) != Child || WEXITSTATUS(Status) != 6)
    return 1;
  for (int I = 0; I < 2; ++I)
    free(Blocks[I]);
  _exit(0);
}
