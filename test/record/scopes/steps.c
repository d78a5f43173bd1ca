// Steps are numbered from 1 and have sums of their own; what is left at the end
// of each is in the intervals.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --format=asm %t.fb | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON

#include <memkit/memkit.h>
#include <stdlib.h>

static void *volatile Leak;

int main(void) {
  for (int I = 0; I != 4; ++I) {
    memkit_step();
    Leak = malloc(1000);
    free(malloc(500));
  }
  return 0;
}

// CHECK-DAG: step {{.*}}id=1
// CHECK-DAG: step {{.*}}id=4
// CHECK-DAG: interval {{.*}}first-step=2 {{.*}}last-step=2
// CHECK-DAG: step 3 {{.*}}allocations=2 frees=1 allocated-bytes=1500 freed-bytes=500
// JSON: "steps": 4
