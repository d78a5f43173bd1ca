// Of scopes at one place whose names differ in digits alone 256 have scope paths of
// their own; the others share `iter #`, and marks keep their names. Long names
// are cut, bytes that are not UTF-8 replaced.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --format=asm %t.fb > %t.mas
// RUN: FileCheck %s < %t.mas
// RUN: %python %S/Inputs/scope-paths.py %t.fb | grep -c ',iter [0-9]' | FileCheck %s --check-prefix=COUNT
// RUN: %python %S/Inputs/scope-paths.py %t.fb | FileCheck %s --check-prefix=FOLDED
// RUN: memdump --scopes --format=csv %t.fb | grep -c '^iter [0-9]*,1,' | FileCheck %s --check-prefix=NAMES
// RUN: memas -o %t.again.fb %t.mas
// RUN: memdump --format=asm %t.again.fb | diff %t.mas -

#include <memkit/memkit.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  static char Name[10000];
  for (int I = 0; I != 300; ++I) {
    sprintf(Name, "iter %d", I);
    uint64_t S = memkit_scope_begin(Name);
    free(malloc(40000 + I));
    memkit_scope_end(S);
  }
  memset(Name, 'x', sizeof(Name) - 1);
  memkit_scope_end(memkit_scope_begin(Name));
  memkit_scope_end(memkit_scope_begin(""));
  memkit_mark("a\xff z");
  return 0;
}

// CHECK-DAG: string [[FIRST:[0-9]+]] "iter 256"
// CHECK-DAG: string [[LAST:[0-9]+]] "iter 299"
// CHECK-DAG: string {{[0-9]+}} "(no name)"
// CHECK-DAG: scope-name {{.*}}name=[[FIRST]]
// CHECK-DAG: scope-name {{.*}}name=[[LAST]]
// FOLDED: 1,40000,iter 0
// FOLDED: 1,40255,iter 255
// FOLDED: 1,40256,iter #
// FOLDED: 1,40299,iter #
// COUNT: 256
// NAMES: 300
