// Arrays, by their description; memory of other processes and interfaces, outside the
// totals.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: {{^}}cuda:0 5 5 {{.*}} 0 B 0
// HEAPS: cuda:0.array 5 5
// HEAPS: cuda:0.imported 2 2 3 MiB 0 B 0 3 MiB

#include "Inputs/check.h"

int main(void) {
  begin();
  CUarray A, B;
  CUmipmappedArray M;

  // 64 x 32 elements of 4 floats.
  CUDA_ARRAY_DESCRIPTOR D = {64, 32, CU_AD_FORMAT_FLOAT, 4};
  // CHECK: alloc #[[#A:]] 32 KiB cuda:0.array
  // CHECK: cuArrayCreate{{$}}
  CHECK(cuArrayCreate(&A, &D));
  // Four layers of 16 x 16 elements of 2 bytes.
  CUDA_ARRAY3D_DESCRIPTOR L = {16, 16, 4, CU_AD_FORMAT_HALF, 1, CUDA_ARRAY3D_LAYERED};
  // CHECK: alloc #[[#B:]] 2 KiB cuda:0.array
  // CHECK: cuArray3DCreate{{$}}
  CHECK(cuArray3DCreate(&B, &L));
  // 32 x 32 bytes, 16 x 16 and 8 x 8: 1344.
  CUDA_ARRAY3D_DESCRIPTOR P = {32, 32, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  // CHECK: alloc #[[#M:]] 1.31 KiB cuda:0.array
  // CHECK: cuMipmappedArrayCreate{{$}}
  CHECK(cuMipmappedArrayCreate(&M, &P, 3));
  // CHECK: free #[[#M]]
  CHECK(cuMipmappedArrayDestroy(M));
  // CHECK: free #[[#B]]
  CHECK(cuArrayDestroy(B));
  // CHECK: free #[[#A]]
  CHECK(cuArrayDestroy(A));

  // Pictures: 64 x 32 pixels of 8 bits, of which four share two more; of 12 bits, four times.
  CUarray N, Y;
  CUDA_ARRAY3D_DESCRIPTOR Nv12 = {64, 32, 0, CU_AD_FORMAT_NV12, 3, 0}, Y416 = {64, 32, 0, CU_AD_FORMAT_Y416, 4, 0};
  // CHECK: alloc #[[#N:]] 3 KiB cuda:0.array
  CHECK(cuArray3DCreate(&N, &Nv12));
  // CHECK: alloc #[[#Y:]] 16 KiB cuda:0.array
  CHECK(cuArray3DCreate(&Y, &Y416));
  // CHECK: free #[[#N]]
  CHECK(cuArrayDestroy(N));
  // CHECK: free #[[#Y]]
  CHECK(cuArrayDestroy(Y));

  CUipcMemHandle Ipc = {0};
  CUexternalMemory X;
  CUdeviceptr I, E;
  // CHECK: alloc #[[#I:]] 3 MiB cuda:0.imported
  // CHECK: cuIpcOpenMemHandle{{$}}
  CHECK(cuIpcOpenMemHandle(&I, Ipc, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  // CHECK: free #[[#I]]
  CHECK(cuIpcCloseMemHandle(I));
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC H = {0};
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC Buffer = {0};
  Buffer.size = 5000;
  CHECK(cuImportExternalMemory(&X, &H));
  // CHECK: alloc #[[#E:]] 4.88 KiB cuda:0.imported
  // CHECK: cuExternalMemoryGetMappedBuffer{{$}}
  CHECK(cuExternalMemoryGetMappedBuffer(&E, X, &Buffer));
  // CHECK: free #[[#E]]
  CHECK(cuMemFree(E));
  return 0;
}
