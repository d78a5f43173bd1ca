// Steps, scopes and processes have what happens on a device; the last line of memrec tells its
// peak, too.
//
// RUN: %cuda_cc -I%src_root/include %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: memrec: {{.*}} 0 lost, peak {{.*}} on host, 5 MiB on cuda:0; next
// RUN: memdump --check %t.fb
// RUN: memdump --steps --format=csv %t.fb | grep cuda | FileCheck %s --check-prefix=STEPS --match-full-lines
//      STEPS:1,1,{{[0-9]+}},{{[0-9]+}},cuda:0,1,0,1048576,0,2097152,2097152
// STEPS-NEXT:1,2,{{[0-9]+}},{{[0-9]+}},cuda:0,1,1,3145728,3145728,5242880,2097152
// STEPS-NEXT:1,3,{{[0-9]+}},{{[0-9]+}},cuda:0,0,2,0,2097152,2097152,0
// RUN: memdump --processes %t.fb | FileCheck %s --check-prefix=PROCESSES
// PROCESSES: 5 MiB cuda:0
// RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=SCOPES
// SCOPES: ,cuda:0_allocations,cuda:0_allocated_bytes,cuda:0_peak_bytes
// SCOPES-NEXT: work,{{.*}},1,3145728,5242880

#include "Inputs/check.h"
#include <memkit/memkit.h>

int main(void) {
  const size_t MiB = 1 << 20;
  CUdeviceptr A, B, C;
  begin();
  CHECK(cuMemAlloc(&A, MiB)); // before the first step
  memkit_step();
  CHECK(cuMemAlloc(&B, MiB));
  memkit_step();
  uint64_t Scope = memkit_scope_begin("work");
  CHECK(cuMemAlloc(&C, 3 * MiB));
  CHECK(cuMemFree(C));
  memkit_scope_end(Scope);
  memkit_step();
  CHECK(cuMemFree(A));
  CHECK(cuMemFree(B));
  return 0;
}
