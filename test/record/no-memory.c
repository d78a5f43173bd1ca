// A recorder that gets no more memory says so and ends the recording; the program runs
// on to its end, and its status is memrec's. What was written can be read.
//
// UNSUPPORTED: asan, tsan
// RUN: %cc -O1 %s -o %t.exe
// RUN: sh -c 'ulimit -Sv 110000; memrec -o %t.fb %t.exe 7 2> %t.err > %t.out; test $? = 7'
// RUN: FileCheck %s --input-file=%t.err
// CHECK: memrec: error: out of memory: the recording ends here; the program continues
// CHECK-NOT: LLVM
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t.out
// OUT: done
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=CUT
// CUT: not complete
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void *volatile Last;

int main(int Argc, char **Argv) {
  // What bounds memrec must not bound the program.
  struct rlimit Limit;
  getrlimit(RLIMIT_AS, &Limit);
  Limit.rlim_cur = Limit.rlim_max;
  setrlimit(RLIMIT_AS, &Limit);
  for (int I = 0; I < 2500000; ++I)
    if (!(Last = malloc(16)))
      return 1;
  puts("done");
  return atoi(Argv[1]);
}
