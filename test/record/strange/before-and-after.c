// Allocations before any constructor has run and after the last destructor.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: %{same} %t.fb -- %t.exe
// RUN: memdump %t.fb | FileCheck %s
// CHECK-DAG: alloc {{.*}} 40 KiB
// CHECK-DAG: alloc {{.*}} 40.1 KiB
// CHECK-DAG: alloc {{.*}} 40.2 KiB

#include <stdlib.h>

static void *volatile P;

static void first(void) { P = malloc(40960); }
__attribute__((section(".preinit_array"), used)) static void (*First)(void) =
    first;

__attribute__((destructor(101))) static void last(void) { P = malloc(41062); }
static void atEnd(void) { P = malloc(41164); }

int main(void) {
  free(P);
  atexit(atEnd);
  return 0;
}
