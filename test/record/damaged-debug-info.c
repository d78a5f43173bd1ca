// Debug information that crashes LLVM's reader costs lines of source, and
// neither the recording nor the names that the symbol table has.
//
// The damage is to what GCC writes.
// UNSUPPORTED: asan
// REQUIRES: python
// RUN: %cc -g -O0 -Wl,--build-id=sha1 %s -o %t.whole
// RUN: for i in 16 18 22 24 26 28 30 32 34 36; do cp %t.whole %t; %python %S/../tools/memdump/Inputs/break-section.py %t .debug_abbrev $i=0; memrec -q -o %t.fb -- %t && memflame --format=collapsed --metric=allocated %t.fb && memdump --check %t.fb; done > %t.all
// RUN: FileCheck %s --input-file=%t.all
// RUN: cp %t.whole %t && %python %S/../tools/memdump/Inputs/break-section.py %t .debug_info 1152921504606846976
// RUN: memrec -q -o %t.fb -- %t && memflame --format=collapsed --metric=allocated %t.fb | FileCheck %s --check-prefix=CLAIM

// CHECK-COUNT-10: main;keeps;malloc 3000
// CLAIM: main;keeps;malloc 3000

#include <stdlib.h>

__attribute__((noinline)) void *keeps(size_t Size) { return malloc(Size); }

int main(void) {
  free(keeps(1000));
  free(keeps(2000));
  return 0;
}
