// fork, raw clone and vfork: a child is a process of its own with its parent's
// number; what it inherited is unknown to it. A child of vfork writes as its
// parent.
//
// RUN: %cc -O0 -g %s -o %t
// RUN: %wiredrain -- %t | FileCheck %s
//
// CHECK-LABEL: process 1 parent 0: allocations 3 reallocations 0 frees 3
// CHECK-NEXT: live 0 blocks 0 bytes unknown 0 twice 0
// CHECK: exit 9
// CHECK-LABEL: process 2 parent 1: allocations 1 reallocations 1 frees 1
// CHECK-NEXT: live 2 blocks 1050 bytes unknown 2 twice 0
// CHECK: exit 4
// CHECK-LABEL: process 3 parent 2: allocations 1 reallocations 0 frees 1
// CHECK-NEXT: live 1 blocks 9 bytes unknown 1 twice 0
// CHECK: exit 3
// CHECK-LABEL: process 4 parent 1: allocations 1 reallocations 0 frees 1
// CHECK-NEXT: live 1 blocks 77 bytes unknown 1 twice 0
// CHECK: exit 5
// CHECK-NOT: process 5
//
// When the recorder takes no more, or stands still and a whole wait has shown it,
// children do not wait for it again.
// RUN: %cc -O0 -g %S/Inputs/many-children.c -o %t.many
// RUN: %wiredrain --detach-after 1 --stall-after 1 -- %t.many 4 | FileCheck %s --check-prefix=DETACHED
// DETACHED-NOT: process 2
// DETACHED: status 0
// RUN: %wiredrain --deaf-after 1 --stall-after 1 -- %t.many 15 | FileCheck %s --check-prefix=DEAF
// DEAF-NOT: process 2
// DEAF: status 0

#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  void *A = malloc(100), *B = malloc(200), *C = malloc(300);
  pid_t P = fork();
  if (!P) {
    free(A);
    B = realloc(B, 1000);
    void *X = malloc(50);
    if (!fork()) {
      free(X);
      B = malloc(9);
      _exit(3);
    }
    wait(0);
    exit(4);
  }
  waitpid(P, 0, 0);
  P = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (!P) {
    free(A);
    B = malloc(77);
    _exit(5);
  }
  waitpid(P, 0, 0);
  P = vfork();
  if (!P)
    _exit(6);
  waitpid(P, 0, 0);
  free(A);
  free(B);
  free(C);
  return 9;
}
