// Where a pool's memory is: of the device of the stream, of another one, of the host, or
// managed; a pool that another process has made is its.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda env FAKECUDA_DEVICES=2 memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep heap-reserved %t.txt | FileCheck %s --check-prefix=RESERVED --match-full-lines --implicit-check-not=pinned --implicit-check-not=managed --implicit-check-not=cuda:0
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: cuda.pinned 1 1 3 MiB 0 B 0 3 MiB
// HEAPS: cuda:0.managed 1 1 1 MiB 0 B 0 1 MiB
// HEAPS: cuda:0.imported 1 1 1 MiB 0 B 0 1 MiB
// HEAPS: cuda:1.pool 2 1 7 MiB 2 MiB 1 7 MiB
//
// What the host's and managed pools have is not a device's. (Between the first block and the
// trim the pool is asked as time goes.)
// RESERVED: {{.*}} cuda:1.pool 6 MiB 5 MiB
// RESERVED: {{.*}} cuda:1.pool 2 MiB 2 MiB trimmed 6 MiB

#include "Inputs/check.h"
#include <unistd.h>

enum { MiB = 1 << 20 };

static CUmemoryPool poolOf(CUmemAllocationType Type, CUmemLocationType Where, int Id) {
  CUmemPoolProps Props = {0};
  CUmemoryPool Pool;
  Props.allocType = Type;
  Props.location.type = Where;
  Props.location.id = Id;
  CHECK(cuMemPoolCreate(&Pool, &Props));
  return Pool;
}

int main(void) {
  begin(); // of device 0
  CUdeviceptr P, Q, R, S, T;
  CUmemoryPool Imported, Host = poolOf(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, 0);
  CUmemoryPool Other = poolOf(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, 1);
  CUmemoryPool Managed = poolOf(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE, 0);
  // CHECK: alloc #[[#P:]] 3 MiB cuda.pinned at 0x{{[0-9a-f]+}} pool {{[0-9]+}} stack
  CHECK(cuMemAllocFromPoolAsync(&P, 3 * MiB, Host, NULL));
  // CHECK: alloc #[[#Q:]] 5 MiB cuda:1.pool at 0x{{[0-9a-f]+}} pool {{[0-9]+}} stack
  CHECK(cuMemAllocFromPoolAsync(&Q, 5 * MiB, Other, NULL));
  // CHECK: alloc #[[#R:]] 1 MiB cuda:0.managed at 0x{{[0-9a-f]+}} pool {{[0-9]+}} stack
  CHECK(cuMemAllocFromPoolAsync(&R, MiB, Managed, NULL));
  // CHECK: free #[[#R]]
  CHECK(cuMemFreeAsync(R, NULL));
  // The device from which the stream is set to take by itself.
  CUmemLocation At = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CHECK(cuMemSetMemPool(&At, CU_MEM_ALLOCATION_TYPE_PINNED, Other));
  // CHECK: alloc #[[#]] 2 MiB cuda:1.pool at 0x{{[0-9a-f]+}} stack
  CHECK(cuMemAllocAsync(&S, 2 * MiB, NULL));
  // CHECK: free #[[#P]]
  CHECK(cuMemFreeAsync(P, NULL));
  // CHECK: free #[[#Q]]
  CHECK(cuMemFreeAsync(Q, NULL));
  CHECK(cuMemPoolTrimTo(Other, 0));
  CHECK(cuMemPoolTrimTo(Host, 0));
  CHECK(cuMemPoolDestroy(Host));

  int Fd = 0;
  CUmemPoolPtrExportData From = {0};
  CHECK(cuMemPoolImportFromShareableHandle(&Imported, &Fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  // CHECK: alloc #[[#T:]] 1 MiB cuda:0.imported at 0x{{[0-9a-f]+}}
  // CHECK: cuMemPoolImportPointer{{$}}
  CHECK(cuMemPoolImportPointer(&T, Imported, &From));
  // CHECK: free #[[#T]]
  CHECK(cuMemFreeAsync(T, NULL));
  CHECK(cuMemPoolDestroy(Imported));
  return 0;
}
