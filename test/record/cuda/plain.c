// Each plain allocation of CUDA's driver, of the device and of the host, with the stack
// of the call, and without what is in the driver and below it; one that fails is a mark.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: CUDA: memory of the driver is recorded through CUPTI
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump %t.fb | FileCheck %s --check-prefix=OOM
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=%if cuda-device %{ANY%} %else %{DEVICE%}
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: cuda.pinned 2 2 146 KiB 0 B 0 146 KiB
// HEAPS: not in the totals
// HEAPS: cuda.registered 1 1 12 KiB 0 B 0 12 KiB
// HEAPS-NEXT: {{^}}cuda:0 3 3 1011 KiB 0 B 0 1011 KiB
// HEAPS-NEXT: cuda:0.device 2 2 1007 KiB 0 B 0 1007 KiB
// HEAPS-NEXT: cuda:0.managed 1 1 4.88 KiB 0 B 0 4.88 KiB
//
// ANY: device 1 uuid={{[0-9a-f]+}} pci="{{.+}}" name="{{.+}}" space="cuda:0" bytes=[[#]]
// DEVICE: device 1 uuid=a0a1a2a3a4a5a6a7a8a9aaabacadae00 pci="0000:01:00.0" name="Fake GPU 0" space="cuda:0" bytes=8589934592

#include "Inputs/check.h"

int main(void) {
  CUcontext C = begin();
  CUdeviceptr P, Q, M, None;
  size_t Pitch;
  void *H, *G;

  // CHECK: alloc #[[#P:]] 977 KiB cuda:0.device
  // CHECK: cuMemAlloc{{$}}
  // CHECK-NEXT: main (plain.c:[[#@LINE+1]])
  CHECK(cuMemAlloc(&P, 1000000));
  // Rows of 1,024 bytes.
  // CHECK: alloc #[[#Q:]] 30 KiB cuda:0.device
  // CHECK: cuMemAllocPitch{{$}}
  // CHECK-NEXT: main (plain.c:[[#@LINE+1]])
  CHECK(cuMemAllocPitch(&Q, &Pitch, 1000, 30, 4));
  // CHECK: alloc #[[#M:]] 4.88 KiB cuda:0.managed
  // CHECK: cuMemAllocManaged{{$}}
  // CHECK-NEXT: main (plain.c:[[#@LINE+1]])
  CHECK(cuMemAllocManaged(&M, 5000, CU_MEM_ATTACH_GLOBAL));
  // CHECK: alloc #[[#H:]] 68.4 KiB cuda.pinned
  // CHECK: cuMemHostAlloc{{$}}
  // CHECK-NEXT: main (plain.c:[[#@LINE+1]])
  CHECK(cuMemHostAlloc(&H, 70000, CU_MEMHOSTALLOC_PORTABLE));
  // CHECK: alloc #[[#G:]] 78.1 KiB cuda.pinned
  // CHECK: cuMemAllocHost{{$}}
  // CHECK-NEXT: main (plain.c:[[#@LINE+1]])
  CHECK(cuMemAllocHost(&G, 80000));
  void *R = aligned_alloc(4096, 12288);
  // CHECK: alloc #[[#R:]] 12 KiB cuda.registered
  // CHECK: cuMemHostRegister{{$}}
  // CHECK-NEXT: main (plain.c:[[#@LINE+1]])
  CHECK(cuMemHostRegister(R, 12288, 0));
  if (cuMemAlloc(&None, (size_t)1 << 50) != CUDA_ERROR_OUT_OF_MEMORY) // the OOM
    return 1;
  // CHECK: free #[[#R]]
  CHECK(cuMemHostUnregister(R));
  // CHECK: free #[[#G]]
  CHECK(cuMemFreeHost(G));
  // CHECK: free #[[#H]]
  CHECK(cuMemFreeHost(H));
  // CHECK: free #[[#M]]
  CHECK(cuMemFree(M));
  // CHECK: free #[[#Q]]
  CHECK(cuMemFree(Q));
  // CHECK: free #[[#P]]
  CHECK(cuMemFree(P));
  // The place of a mark in the text depends on the flushes of the recording.
  // OOM: oom cuda:0.device 1 PiB 1007 KiB 1007 KiB
  // OOM: cuMemAlloc{{$}}
  // OOM-NEXT: main (plain.c:[[#@LINE-17]])
  CHECK(cuCtxDestroy(C));
  return 0;
}
