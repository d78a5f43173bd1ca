// What a pool had at most is asked for with what it has, so that a peak between two
// questions shows; what a trim gives back, whether that is something or nothing.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep heap-reserved | FileCheck %s
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
// RUN: memstat --format=json %t.fb | FileCheck %s --check-prefix=JSON
// RUN: memstat -v --format=markdown %t.fb | FileCheck %s --check-prefix=STAT

#include "Inputs/check.h"
#include <unistd.h>

// The driver is asked at most once a millisecond, on a clock of 4.
static void later(void) { usleep(10000); }

int main(void) {
  begin();
  CUdeviceptr A, B;
  CUmemoryPool Pool;
  CHECK(cuDeviceGetDefaultMemPool(&Pool, 0));
  // CHECK: cuda:0.pool 2 MiB 1 MiB
  CHECK(cuMemAllocAsync(&A, 1 << 20, NULL));
  // Nobody asks meanwhile, or somebody does.
  // CHECK-NEXT: cuda:0.pool 10 MiB 9 MiB
  CHECK(cuMemAllocAsync(&B, 8 << 20, NULL));
  CHECK(cuMemFreeAsync(B, NULL));
  later();
  // CHECK: cuda:0.pool 10 MiB 3 MiB
  CHECK(cuMemAllocAsync(&B, 2 << 20, NULL));
  // CHECK: cuda:0.pool 4 MiB 3 MiB trimmed 6 MiB
  CHECK(cuMemPoolTrimTo(Pool, 0));
  // CHECK-NEXT: cuda:0.pool 4 MiB 3 MiB trimmed 0 B
  CHECK(cuMemPoolTrimTo(Pool, 64 << 20));
  return 0;
}

// STAT: cuda:0.pool reserved at most 10 MiB, active at most 9 MiB
// STAT: cuda:0.pool was trimmed 2 times and returned 6 MiB
// JSON: "active_peak_bytes": 9437184,
// JSON-NEXT: "trims": 2,
// JSON-NEXT: "trimmed_bytes": 6291456,
