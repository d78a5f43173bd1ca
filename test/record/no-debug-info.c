// A function without debug information has a name and a module, and no file:
// what the symbol table calls its file is that of another object.
// RUN: %cc -O0 %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --format=asm %t.fb | FileCheck %s
// CHECK-DAG: string [[NAME:[0-9]+]] "hidden"
// CHECK-DAG: function {{[0-9]+}} name=[[NAME]]{{$}}
#include <stdlib.h>

// The linker makes it local and puts it behind the last file's symbols.
__attribute__((visibility("hidden"), noinline)) void *hidden(void) {
  return malloc(10);
}

int main(void) {
  void *volatile P = hidden();
  (void)P;
  return 0;
}
