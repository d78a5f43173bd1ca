// An allocator that the program is linked with stands behind the hooks; where it
// calls itself through them, a block still counts once.
//
// RUN: %cc -O1 -fno-builtin -g -shared -fPIC %S/Inputs/other-malloc.c -o %t.so
// RUN: %cc -O0 -fno-builtin -g %s %t.so -o %t
// RUN: %wiredrain --dump -- %t | FileCheck %s
//
// CHECK-DAG: alloc malloc size 101
// CHECK-DAG: size 102
// CHECK-DAG: size 103
// CHECK-DAG: size 104
// CHECK: live 0 blocks 0 bytes unknown 0 twice 0 lost 0
// CHECK: status 0

#include <stdlib.h>

int main(void) {
  void *A = malloc(101), *B = calloc(1, 102), *C = realloc(0, 103);
  C = realloc(C, 104);
  free(A);
  free(B);
  free(C);
  return 0;
}
