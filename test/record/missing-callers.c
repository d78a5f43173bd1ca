// Callers that a step by the frame pointer has passed over, in code without
// unwind tables, leave a mark where they are missing.
//
// RUN: %cc -O1 -g -c -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer %S/Inputs/no-tables.c -o %t.o
// RUN: %cc -O1 -g -fno-omit-frame-pointer %s %t.o -o %t.exe
// RUN: memrec -q --force -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
//
// As well where the call is made through a stub of the linker.
// RUN: %cc -O1 -g -fPIC -DLIBRARY -fno-omit-frame-pointer -c %s -o %t.run.o
// RUN: %cc -O1 -g -fPIC -c -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer %S/Inputs/no-tables.c -o %t.pic.o
// RUN: %cc -shared %t.run.o %t.pic.o -o %t.so
// RUN: %cc -O1 -g -DPROGRAM -fno-omit-frame-pointer %s %t.so -o %t.dynamic.exe
// RUN: memrec -q --force -o %t.fb %t.dynamic.exe
// RUN: memdump %t.fb | FileCheck %s
// RUN: %cc -O1 -g -DPROGRAM -fno-omit-frame-pointer -fcf-protection %s %t.so -Wl,-z,lazy,-z,ibtplt -o %t.lazy.exe
// RUN: memrec -q --force -o %t.fb %t.lazy.exe
// RUN: memdump %t.fb | FileCheck %s
//
// CHECK: alloc #{{.*}} 11 B host.malloc
// CHECK: {{^ *}}malloc
// CHECK-NEXT: inner
// CHECK-NEXT: [no unwind information]
// CHECK-NEXT: main
// CHECK: alloc #{{.*}} 12 B host.malloc
// CHECK: {{^ *}}malloc
// CHECK-NEXT: inner
// CHECK-NEXT: [no unwind information]
// CHECK-NEXT: main
//
// A frame of the code's own that the step finds is all there is: no mark.
// RUN: %cc -O1 -g -c -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer %S/Inputs/no-tables.c -o %t.o
// RUN: %cc -O1 -g -fno-omit-frame-pointer %s %t.o -o %t.exe
// RUN: memrec -q --force -o %t.fb %t.exe
// RUN: memdump %t.fb | FileCheck %s --check-prefix=ALL
// ALL: alloc #{{.*}} 11 B host.malloc
// ALL: {{^ *}}malloc
// ALL-NEXT: inner
// ALL-NEXT: middle
// ALL-NEXT: run
// ALL-NEXT: main

#include <stddef.h>

void middle(size_t Bytes);
void run(size_t Bytes);

#ifndef PROGRAM
__attribute__((noinline)) void run(size_t Bytes) {
  volatile char Frame[64];
  Frame[0] = 1;
  middle(Bytes);
  Frame[1] = Frame[0];
}
#endif

#ifndef LIBRARY
int main(void) {
  run(11);
  run(12);
  return 0;
}
#endif
