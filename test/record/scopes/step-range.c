// With --step=REGEX a step ends where a scope of such a name ends, once for
// those inside one another, in each process its own; memkit_step() begins none
// then.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q --step='^iter [0-9]+$' -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --format=asm %t.fb > %t.asm
// RUN: FileCheck %s < %t.asm
// RUN: memrec -q -o %t.own.fb %t.exe && memdump --format=asm %t.own.fb \
// RUN:   | FileCheck %s --check-prefix=OWN
// RUN: memrec --step=nothing -o %t.none.fb %t.exe 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=NOSTEPS
// RUN: %{status} 125 memrec --step='iter (' %t.exe 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %{status} 125 memrec --step= %t.exe 2>&1 | FileCheck %s --check-prefix=EMPTY

#include <memkit/memkit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void iterate(int I) {
  char Name[32];
  snprintf(Name, sizeof(Name), "iter %d", I);
  uint64_t Outer = memkit_scope_begin(Name);
  uint64_t Inner = memkit_scope_begin("iter 99");
  memkit_step();
  free(malloc(100 * (size_t)I));
  memkit_scope_end(Inner);
  uint64_t Other = memkit_scope_begin("other");
  memkit_scope_end(Other);
  memkit_scope_end(Outer);
}

int main(void) {
  setvbuf(stdout, 0, _IONBF, 0);
  for (int I = 1; I != 4; ++I)
    iterate(I);
  if (fork() == 0) {
    iterate(7);
    _exit(0);
  }
  wait(0);
  return 0;
}

// CHECK: options={{.*}}"step=^iter [0-9]+$"
// CHECK: {{[0-9]}} step process=1 id=1
// CHECK-NEXT: {{[0-9]}} step process=1 id=2
// CHECK-NEXT: {{[0-9]}} step process=1 id=3
// CHECK: {{[0-9]}} step process=2 id=1
// CHECK-NOT: {{[0-9]}} step process=
// OWN-COUNT-4: {{[0-9]}} step process=
// NONE: warning: no range matching 'nothing' ended, so there are no steps
// NOSTEPS: , 0 steps
// BAD: memrec: error: --step=iter (: parentheses not balanced
// EMPTY: memrec: error: --step= needs a regular expression
