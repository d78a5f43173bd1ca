// Who asked for the device's memory: a library that goes by the CUDA runtime, one that calls
// the driver as those do into which the runtime is linked, and the program.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %cuda_cc -DNCCL -shared -fPIC %s -o %t/libnccl.so.2 -Wl,-soname,libnccl.so.2 -l:libcudart.so.13
// RUN: %cuda_cc -DCUBLAS -shared -fPIC %s -o %t/libcublas.so.12 -Wl,-soname,libcublas.so.12 %libcuda
// RUN: %cuda_cc %s -o %t/train %t/libnccl.so.2 %t/libcublas.so.12 -Wl,-rpath,%t %libcuda
// RUN: %cuda memrec -o %t/trace.fb -- %t/train
// RUN: memstat --top=0 --format=json %t/trace.fb | %python -c "import json, sys; [print(*o.values()) for o in json.load(sys.stdin)['library_list']]" | FileCheck %s --match-full-lines
// RUN: memflame --format=collapsed --group-by=library --heap=cuda:0.device %t/trace.fb | FileCheck %s --check-prefix=FLAME
//
// At the peak 3 MiB + 64 KiB of libnccl, 4 MiB of libcublas, 1 MiB of the program; of pinned
// memory 4096 bytes are libnccl's.
//      CHECK: cuda:0.device libcublas.so.12 1 4194304 4194304 1 0 0
// CHECK-NEXT: cuda:0.device libnccl.so.2 2 3211264 3211264 2 0 0
// CHECK-NEXT: cuda:0.device train 1 1048576 1048576 1 0 0
//      CHECK: cuda.pinned libnccl.so.2 1 4096 4096 1 0 0
//
// FLAME-DAG: libcublas.so.12;{{.*}}main;cublasCreate;cuMemAlloc 4194304
// FLAME-DAG: libnccl.so.2;{{.*}}main;ncclCommInit;{{.*}}cuMemAlloc 3211264
// FLAME-DAG: train;{{.*}}main;cuMemAlloc 1048576

#include "Inputs/check.h"

#if defined(NCCL)
#include <cuda_runtime_api.h>
void ncclCommInit(void *Out[3]) {
  if (cudaMalloc(&Out[0], 3 << 20) || cudaMalloc(&Out[1], 64 << 10) || cudaMallocHost(&Out[2], 4096))
    abort();
}
void ncclCommDestroy(void *Of[3]) {
  cudaFree(Of[0]);
  cudaFree(Of[1]);
  cudaFreeHost(Of[2]);
}
#elif defined(CUBLAS)
CUdeviceptr cublasCreate(void) {
  CUdeviceptr P;
  CHECK(cuMemAlloc(&P, 4 << 20));
  return P;
}
#else
void ncclCommInit(void *[3]);
void ncclCommDestroy(void *[3]);
CUdeviceptr cublasCreate(void);

int main(void) {
  begin();
  void *Of[3];
  CUdeviceptr P;
  ncclCommInit(Of);
  CUdeviceptr Workspace = cublasCreate();
  CHECK(cuMemAlloc(&P, 1 << 20));
  CHECK(cuMemFree(P));
  CHECK(cuMemFree(Workspace));
  ncclCommDestroy(Of);
  return 0;
}
#endif
