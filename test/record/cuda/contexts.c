// What a context holds ends with it: one that is destroyed, a primary one at its last
// release and at its reset. Devices are known by their UUID: processes that see them in
// another order name the same.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda env FAKECUDA_DEVICES=2 memrec -o %t.fb -- sh -c '"%t.exe" all; CUDA_VISIBLE_DEVICES=1,0 "%t.exe"'
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep -E "cuda|free |context ends" | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
// RUN: memdump --format=asm %t.fb | grep " device " | FileCheck %s --check-prefix=DEVICES
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: {{^}}cuda:0 4 3
// HEAPS: cuda:0.device 4 3 15 KiB 5 KiB
// HEAPS: {{^}}cuda:1 1 0
// HEAPS: cuda:1.device 1 0 7 KiB 7 KiB
// DEVICES: uuid=a0a1a2a3a4a5a6a7a8a9aaabacadae00 {{.*}} name="Fake GPU 0" space="cuda:0"
// DEVICES-NEXT: uuid=a0a1a2a3a4a5a6a7a8a9aaabacadae01 {{.*}} name="Fake GPU 1" space="cuda:1"
// DEVICES-NOT: device

#include "Inputs/check.h"

// What the driver calls of a device's primary context.
static void take(int Device, size_t Bytes) {
  CUcontext C;
  CUdeviceptr P;
  CHECK(cuDevicePrimaryCtxRetain(&C, Device));
  CHECK(cuCtxSetCurrent(C));
  CHECK(cuMemAlloc(&P, Bytes));
}

int main(int Argc, char **Argv) {
  if (Argc == 1) {
    // The second process: what is 0 here is 1 there.
    CHECK(cuInit(0));
    take(1, 5 << 10);
    take(0, 7 << 10);
    return 0;
  }
  CUcontext C = begin();
  CUdeviceptr P, Q;
  CUcontext Same;
  // CHECK: alloc #[[#A:]] 1 KiB cuda:0.device
  // CHECK: alloc #[[#B:]] 3 KiB cuda:0.device
  CHECK(cuMemAlloc(&P, 1 << 10));
  CHECK(cuMemAlloc(&Q, 3 << 10));
  // CHECK: free #[[#B]]
  CHECK(cuMemFree(Q));
  // CHECK: free #[[#A]]
  CHECK(cuCtxDestroy(C));
  // Retained twice: the first release ends nothing.
  // CHECK: alloc #[[#D:]] 6 KiB cuda:0.device
  // CHECK: free #[[#D]]
  take(0, 6 << 10);
  CHECK(cuDevicePrimaryCtxRetain(&Same, 0));
  CHECK(cuDevicePrimaryCtxRelease(0));
  CHECK(cuDevicePrimaryCtxRelease(0));
  // CHECK: alloc #[[#]] 5 KiB cuda:0.device
  // CHECK: alloc #[[#]] 7 KiB cuda:1.device
  // CHECK: user CUDA context ends: 1 blocks, 1024 bytes with it
  // CHECK: user CUDA context ends: 1 blocks, 6144 bytes with it
  return 0;
}
