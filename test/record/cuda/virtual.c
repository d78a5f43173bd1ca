// Virtual memory counts from when it is physical, once: first by the handle that made
// it, then where it is mapped.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: cuda.reserved 1 1 64 MiB 0 B 0 64 MiB
// HEAPS: {{^}}cuda:0 {{.*}} 0 B 0 8 MiB
// HEAPS: cuda:0.device {{.*}} 0 B 0 8 MiB
// HEAPS: cuda:0.imported 1 1 2 MiB 0 B 0 2 MiB

#include "Inputs/check.h"

enum { MiB = 1 << 20 };

int main(void) {
  begin();
  CUdeviceptr V;
  CUmemGenericAllocationHandle A, B, Same, Theirs;
  CUmemAllocationProp Prop = {0};
  Prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;

  // CHECK: alloc #[[#R:]] 64 MiB cuda.reserved
  CHECK(cuMemAddressReserve(&V, 64 * MiB, 0, 0, 0));
  // CHECK: alloc #[[#A:]] 2 MiB cuda:0.device
  // CHECK: cuMemCreate{{$}}
  // CHECK-NEXT: main (virtual.c:[[#@LINE+1]])
  CHECK(cuMemCreate(&A, 2 * MiB, &Prop, 0));
  // CHECK: free #[[#A]]
  // CHECK-NEXT: alloc #[[#M:]] 2 MiB cuda:0.device
  // CHECK: cuMemMap{{$}}
  // CHECK-NEXT: main (virtual.c:[[#@LINE+1]])
  CHECK(cuMemMap(V, 2 * MiB, 0, A, 0));
  // A second time, where it counts nothing.
  CHECK(cuMemMap(V + 32 * MiB, 2 * MiB, 0, A, 0));
  // CHECK: alloc #[[#B:]] 6 MiB cuda:0.device
  CHECK(cuMemCreate(&B, 6 * MiB, &Prop, 0));
  // CHECK: free #[[#B]]
  // CHECK-NEXT: resize #[[#M]] 8 MiB
  CHECK(cuMemMap(V + 2 * MiB, 6 * MiB, 0, B, 0));

  // Released, it stays while it is mapped; a handle that was had again keeps it.
  CHECK(cuMemRelease(B));
  CHECK(cuMemRetainAllocationHandle(&Same, (void *)V));
  CHECK(cuMemRelease(A));
  CHECK(cuMemUnmap(V + 32 * MiB, 2 * MiB));
  // CHECK-NEXT: resize #[[#M]] 2 MiB
  CHECK(cuMemUnmap(V + 2 * MiB, 6 * MiB));
  // CHECK-NEXT: free #[[#M]]
  // CHECK-NEXT: alloc #[[#A2:]] 2 MiB cuda:0.device
  CHECK(cuMemUnmap(V, 2 * MiB));
  // CHECK-NEXT: free #[[#A2]]
  CHECK(cuMemRelease(Same));

  // What another process has made is its.
  // CHECK-NEXT: alloc #[[#T:]] 2 MiB cuda:0.imported
  int Fd = 0;
  CHECK(cuMemImportFromShareableHandle(&Theirs, (void *)(size_t)Fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CHECK(cuMemMap(V, 2 * MiB, 0, Theirs, 0));
  // CHECK: free #[[#T]]
  CHECK(cuMemUnmap(V, 2 * MiB));
  CHECK(cuMemRelease(Theirs));
  // CHECK-NEXT: free #[[#R]]
  CHECK(cuMemAddressFree(V, 64 * MiB));
  return 0;
}
