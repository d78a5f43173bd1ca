// Functions that changed: a program that asks for them as an older CUDA has them gets
// those, and each call is recorded once, by CUPTI and where the program looks them up; the
// forms with a default stream for each thread too.
//
// RUN: %cuda_cc %s -o %t.exe -ldl
// RUN: %cuda memrec --cuda=cupti -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
// RUN: %cuda memrec --cuda=interpose -o %t.i.fb -- %t.exe
// RUN: memdump --check %t.i.fb
// RUN: memdump %t.i.fb | FileCheck %s
// RUN: memdump --summary %t.i.fb | FileCheck %s --check-prefix=HEAPS
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: {{^}}cuda:0 4 4
// HEAPS: cuda:0.pool 4 4
// HEAPS: cuda:0.graph 4 2 10 KiB 7 KiB 2

#include "Inputs/check.h"
#include <cudaTypedefs.h>
#include <dlfcn.h>

// Those that the headers declare no more.
typedef CUresult (*PFN_cuStreamBeginCapture_v10000)(CUstream);
typedef PFN_cuStreamBeginCapture_v10010 PFN_cuStreamBeginCapture_v12000;

static PFN_cuGetProcAddress_v12000 Find;
static void *find(const char *Name, int Version, cuuint64_t Flags) {
  void *P = NULL;
  CHECK(Find(Name, &P, Version, Flags, NULL));
  return P;
}
#define FIND(NAME, VERSION) ((PFN_##NAME##_v##VERSION)find(#NAME, VERSION, CU_GET_PROC_ADDRESS_DEFAULT))
#define FIND_PTSZ(NAME, VERSION)                                                                                     \
  ((PFN_##NAME##_v##VERSION##_ptsz)find(#NAME, VERSION, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))

static CUstream S;
static void captured(size_t Bytes) {
  CUdeviceptr P;
  CUgraph G;
  CHECK(FIND(cuMemAllocAsync, 11020)(&P, Bytes, S));
  CHECK(FIND(cuMemFreeAsync, 11020)(P, S));
  CHECK(FIND(cuStreamEndCapture, 10000)(S, &G));
}

int main(void) {
  Find = (PFN_cuGetProcAddress_v12000)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
  CUcontext C;
  CUdeviceptr P;
  CHECK(FIND(cuInit, 2000)(0));
  CHECK(FIND(cuDevicePrimaryCtxRetain, 7000)(&C, 0));
  CHECK(FIND(cuCtxSetCurrent, 4000)(C));
  CHECK(FIND(cuStreamCreate, 2000)(&S, CU_STREAM_NON_BLOCKING));

  // The old one has no mode; the new one must get its own. (One that is none fails.)
  // CHECK: alloc #[[#A:]] 1 KiB cuda:0.graph at 0x{{[0-9a-f]+}} stream 1 stack
  // CHECK: free #[[#A]]
  CHECK(FIND(cuStreamBeginCapture, 10000)(S));
  captured(1 << 10);
  // CHECK: alloc #[[#B:]] 2 KiB cuda:0.graph at 0x{{[0-9a-f]+}} stream 1 stack
  // CHECK: free #[[#B]]
  CHECK(FIND(cuStreamBeginCapture, 10010)(S, CU_STREAM_CAPTURE_MODE_RELAXED));
  captured(2 << 10);
  if (!FIND(cuStreamBeginCapture, 12000)(S, (CUstreamCaptureMode)77))
    return 1;

  // With edges' data, and without.
  CUgraph G;
  CUgraphNode N;
  CUgraphNodeParams Params = {0};
  CHECK(FIND(cuGraphCreate, 10000)(&G, 0));
  Params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  Params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  Params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  Params.alloc.bytesize = 3 << 10;
  // CHECK: alloc #[[#]] 3 KiB cuda:0.graph at 0x{{[0-9a-f]+}} stack
  // CHECK: cuGraphAddNode{{$}}
  CHECK(FIND(cuGraphAddNode, 12020)(&N, G, NULL, 0, &Params));
  Params.alloc.bytesize = 4 << 10;
  // CHECK: alloc #[[#]] 4 KiB cuda:0.graph at 0x{{[0-9a-f]+}} stack
  CHECK(FIND(cuGraphAddNode, 12030)(&N, G, NULL, NULL, 0, &Params));

  // Streams: the device's default one is named by none, a thread's by a number.
  CUmemoryPool Pool;
  CHECK(FIND(cuDeviceGetDefaultMemPool, 11020)(&Pool, 0));
  // CHECK: alloc #[[#P:]] 5 KiB cuda:0.pool at 0x{{[0-9a-f]+}} stack
  // CHECK: free #[[#P]]
  CHECK(FIND(cuMemAllocAsync, 11020)(&P, 5 << 10, NULL));
  CHECK(FIND(cuMemFreeAsync, 11020)(P, NULL));
  // CHECK: alloc #[[#Q:]] 6 KiB cuda:0.pool at 0x{{[0-9a-f]+}} stream 2 stack
  // CHECK: free #[[#Q]]
  CHECK(FIND_PTSZ(cuMemAllocAsync, 11020)(&P, 6 << 10, NULL));
  CHECK(FIND_PTSZ(cuMemFreeAsync, 11020)(P, NULL));
  // CHECK: alloc #[[#R:]] 7 KiB cuda:0.pool at 0x{{[0-9a-f]+}} pool 1 stack
  // CHECK: free #[[#R]]
  CHECK(FIND(cuMemAllocFromPoolAsync, 11020)(&P, 7 << 10, Pool, CU_STREAM_LEGACY));
  CHECK(FIND(cuMemFreeAsync, 11020)(P, CU_STREAM_LEGACY));
  // CHECK: alloc #[[#T:]] 8 KiB cuda:0.pool at 0x{{[0-9a-f]+}} stream 2 pool 1 stack
  // CHECK: free #[[#T]]
  CHECK(FIND_PTSZ(cuMemAllocFromPoolAsync, 11020)(&P, 8 << 10, Pool, NULL));
  CHECK(FIND_PTSZ(cuMemFreeAsync, 11020)(P, NULL));
  return 0;
}
