// What the device says is in use, at most ten times a second, and not while a graph is
// captured: all that is given out in pages of 2 MiB, and 100 MB of another process.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda env FAKECUDA_OTHER_BYTES=104857600 memrec -o %t.fb -- %t.exe
// RUN: memdump %t.fb | grep device-used | FileCheck %s
// RUN: memdump --check %t.fb

// With another interval there are fewer: at the first call, and at the last one, 240 ms later. None with 0.
// RUN: %cuda memrec --device-interval=200ms -o %t.200.fb -- %t.exe
// RUN: memdump %t.200.fb | grep -c device-used | FileCheck %s --check-prefix=SLOW
// SLOW: {{^}}2{{$}}
// RUN: %cuda memrec --device-interval=0 -o %t.none.fb -- %t.exe
// RUN: memdump %t.none.fb | not grep device-used
// RUN: memdump --format=asm %t.none.fb | grep -c '"device-interval=0"'
// RUN: not memrec --device-interval=1ms -- %t.exe 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: --device-interval=1ms: should be 10ms to 1h, or 0

#include "Inputs/check.h"
#include <unistd.h>

int main(void) {
  begin();
  CUdeviceptr P, Q, R, S;
  CUstream Stream;
  CUgraph Graph;
  CHECK(cuStreamCreate(&Stream, CU_STREAM_NON_BLOCKING));
  // CHECK: device-used {{.*}} 102 MiB 8 GiB
  CHECK(cuMemAlloc(&P, 1000));
  CHECK(cuMemAlloc(&Q, 1000)); // soon after
  usleep(120000);
  // CHECK-NEXT: device-used {{.*}} 106 MiB 8 GiB
  CHECK(cuMemAlloc(&Q, 1000001));
  usleep(120000);
  CHECK(cuStreamBeginCapture(Stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK(cuMemAlloc(&R, 1000));
  CHECK(cuStreamEndCapture(Stream, &Graph));
  CHECK(cuMemFree(P));
  // CHECK-NEXT: device-used {{.*}} 110 MiB 8 GiB
  CHECK(cuMemAlloc(&S, 3000000));
  return 0;
}
// CHECK-NOT: device-used
