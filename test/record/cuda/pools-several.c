// Where a device has several pools each has its own figures, beside the sum: in marks, and
// what each had at most in memstat.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep heap-reserved | FileCheck %s
// RUN: memdump --format=asm %t.fb | grep heap-reserved | FileCheck %s --check-prefix=ASM
// RUN: memdump --format=asm %t.fb | memas | memdump --format=asm > %t.again && memdump --format=asm %t.fb | diff - %t.again
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
// RUN: memstat --format=json %t.fb | FileCheck %s --check-prefix=JSON

#include "Inputs/check.h"
#include <unistd.h>

// The driver is asked at most once a millisecond, on a clock of 4.
static void later(void) { usleep(10000); }

int main(void) {
  begin();
  CUdeviceptr A, B;
  CUmemoryPool Own;
  CUmemPoolProps Props = {0};
  Props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  Props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  // While there is one, it is the heap.
  // CHECK: cuda:0.pool 2 MiB 1 MiB{{$}}
  // ASM: heap-reserved process=1 heap=[[#POOL:]] values=[2097152 1048576]
  CHECK(cuMemAllocAsync(&A, 1 << 20, NULL));
  CHECK(cuMemPoolCreate(&Own, &Props));
  // CHECK: cuda:0.pool 8 MiB 7 MiB pool 1 6 MiB 6 MiB{{$}}
  // ASM: heap-reserved process=1 id=1 heap=[[#POOL]] values=[8388608 7340032 18446744073709551615 6291456 6291456]
  CHECK(cuMemAllocFromPoolAsync(&B, 6 << 20, Own, NULL));
  CHECK(cuMemFreeAsync(B, NULL));
  // CHECK: cuda:0.pool 2 MiB 1 MiB trimmed 6 MiB pool 1 0 B 0 B{{$}}
  CHECK(cuMemPoolTrimTo(Own, 0));
  later();
  // CHECK: cuda:0.pool 4 MiB 4 MiB own pool 4 MiB 4 MiB{{$}}
  CHECK(cuMemAllocAsync(&B, 3 << 20, NULL));
  return 0;
}

// STAT: cuda:0.pool reserved at most 8 MiB, active at most 7 MiB
// STAT: cuda:0.pool was trimmed 1 time and returned 6 MiB
// STAT: cuda:0.pool, pool 1: reserved at most 6 MiB, active at most 6 MiB; 1 trim returned 6 MiB
// STAT: cuda:0.pool, the device's own pool: reserved at most 4 MiB, active at most 4 MiB

// JSON: "pools": [
// JSON: "pool": 1,
// JSON-NEXT: "reserved_peak_bytes": 6291456,
// JSON-NEXT: "active_peak_bytes": 6291456,
// JSON-NEXT: "trims": 1,
// JSON-NEXT: "trimmed_bytes": 6291456
// JSON: "pool": 0,
// JSON-NEXT: "reserved_peak_bytes": 4194304,
// JSON-NEXT: "active_peak_bytes": 4194304,
// JSON-NEXT: "trims": 0,
