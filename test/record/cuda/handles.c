// What is released, mapped or destroyed as memory is, and has none of its own, or another's:
// it counts nothing, and its end is no free of what nobody knows.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: {{^}}cuda:0 {{.*}} 0 B 0 2 MiB
// HEAPS: cuda:0.device 1 1 2 MiB 0 B 0 2 MiB
// HEAPS: cuda:0.array 3 3 0 B 0 B
// HEAPS: cuda:0.imported 2 2 4.06 MiB 0 B 0 4 MiB

#include "Inputs/check.h"

enum { MiB = 1 << 20 };

int main(void) {
  begin();
  // Memory that several devices have under one address.
  CUdeviceptr V;
  CUmulticastObjectProp Prop = {0};
  CUmemGenericAllocationHandle All, Mine;
  CUmemAllocationProp Of = {0};
  Prop.numDevices = 1;
  Prop.size = 4 * MiB;
  Of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Of.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(cuMulticastCreate(&All, &Prop));
  CHECK(cuMulticastAddDevice(All, 0));
  // CHECK: alloc #[[#M:]] 2 MiB cuda:0.device
  // CHECK: cuMemCreate{{$}}
  CHECK(cuMemCreate(&Mine, 2 * MiB, &Of, 0));
  CHECK(cuMulticastBindMem(All, 0, Mine, 0, 2 * MiB, 0));
  CHECK(cuMemAddressReserve(&V, 4 * MiB, 0, 0, 0));
  // CHECK: alloc #[[#A:]] 4 MiB cuda:0.imported
  // CHECK: cuMemMap{{$}}
  CHECK(cuMemMap(V, 4 * MiB, 0, All, 0));
  // CHECK: free #[[#A]]
  CHECK(cuMemUnmap(V, 4 * MiB));
  CHECK(cuMulticastUnbind(All, 0, 0, 2 * MiB));
  CHECK(cuMemRelease(All));

  // Arrays into which memory is mapped; what is, counts where it was made.
  CUarray Sparse, Deferred;
  CUmipmappedArray Mipmap, Theirs;
  CUDA_ARRAY3D_DESCRIPTOR D = {1024, 1024, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_SPARSE};
  // CHECK: alloc #[[#S:]] 0 B cuda:0.array
  CHECK(cuArray3DCreate(&Sparse, &D));
  // CHECK: alloc #[[#N:]] 0 B cuda:0.array
  CHECK(cuMipmappedArrayCreate(&Mipmap, &D, 4));
  D.Flags = CUDA_ARRAY3D_DEFERRED_MAPPING;
  // CHECK: alloc #[[#E:]] 0 B cuda:0.array
  CHECK(cuArray3DCreate(&Deferred, &D));
  CUarrayMapInfo Map = {0};
  Map.resource.array = Sparse;
  Map.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
  Map.memHandle.memHandle = Mine;
  CHECK(cuMemMapArrayAsync(&Map, 1, NULL));
  // CHECK: free #[[#S]]
  CHECK(cuArrayDestroy(Sparse));
  // CHECK: free #[[#N]]
  CHECK(cuMipmappedArrayDestroy(Mipmap));
  // CHECK: free #[[#E]]
  CHECK(cuArrayDestroy(Deferred));
  // CHECK: free #[[#M]]
  CHECK(cuMemRelease(Mine));

  // Another interface's memory as an array: 128 x 128 elements of 4 bytes.
  CUexternalMemory X;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC H = {0};
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC Desc = {0};
  Desc.arrayDesc = (CUDA_ARRAY3D_DESCRIPTOR){128, 128, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  Desc.numLevels = 1;
  CHECK(cuImportExternalMemory(&X, &H));
  // CHECK: alloc #[[#X:]] 64 KiB cuda:0.imported
  // CHECK: cuExternalMemoryGetMappedMipmappedArray{{$}}
  CHECK(cuExternalMemoryGetMappedMipmappedArray(&Theirs, X, &Desc));
  // CHECK: free #[[#X]]
  CHECK(cuMipmappedArrayDestroy(Theirs));
  CHECK(cuDestroyExternalMemory(X));
  return 0;
}
