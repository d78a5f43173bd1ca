// With --no-symbols the trace has addresses, and `memdump --symbolize` names them.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q --no-symbols -o %t.fb %t.exe
// RUN: memdump %t.fb | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: alloc #{{.*}} 4.22 KiB host.malloc
// WITHOUT-NOT: main
// WITHOUT: no-symbols.c.tmp.exe+0x
// RUN: memdump --symbolize %t.fb -o %t.named.fb
// RUN: memdump %t.named.fb | FileCheck %s
// CHECK: alloc #{{.*}} 4.22 KiB host.malloc
// CHECK: main (no-symbols.c:[[#@LINE+3]])
#include <stdlib.h>

int main(void) { return !malloc(4321); }
