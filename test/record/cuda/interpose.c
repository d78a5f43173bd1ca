// When another has CUPTI, calls are heard where the program looks the driver's functions up,
// as the runtime does: the trace is the same. A program that subscribes to CUPTI itself, as
// torch.profiler does, gets it; memrec comes back afterwards, and no call is missed.
//
// RUN: %cuda_cc %s -o %t.exe -l:libcudart.so.13 -l:libcupti.so.13 -l:libcuda.so.1 -pthread
// RUN: %cuda memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=HEARD
// HEARD: CUDA: memory of the driver is recorded through CUPTI
// RUN: memdump %t.fb > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: %cuda memrec --cuda=interpose -v -o %t.i.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=INTERPOSE
// INTERPOSE: CUDA: memory of the driver is recorded where the program looks up driver functions
// RUN: memdump %t.i.fb > %t.i.txt
// RUN: FileCheck %s < %t.i.txt
// RUN: %if !cuda-device %{ %cuda env FAKECUPTI_TAKEN=1 memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=TAKEN %}
// TAKEN: CUDA: memory of the driver is recorded where the program looks up driver functions: another tool uses CUPTI (nsys, ncu, a debugger, a profiler)
// RUN: memdump %t.fb | FileCheck %s
//
// It is named, if CUPTI says so, or its library is loaded.
// RUN: %if !cuda-device %{ %cuda env "FAKECUPTI_TAKEN=CUPTI for Their Tool" memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=NAMED %}
// NAMED: looks up driver functions: another tool uses CUPTI: CUPTI for Their Tool{{$}}
// RUN: mkdir -p %t.nsys
// RUN: %cc -shared -x c /dev/null -o %t.nsys/libToolsInjection64.so
// RUN: %if !cuda-device %{ %cuda env FAKECUPTI_TAKEN=1 LD_LIBRARY_PATH=%t.nsys:%fake_cuda LD_PRELOAD=libToolsInjection64.so memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=LOADED %}
// LOADED: another tool uses CUPTI: Nsight Systems (libToolsInjection64.so)
//
// Another tool's library is the one that the driver loads.
// RUN: %cuda env CUDA_INJECTION64_PATH=/theirs.so memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=THEIRS
// THEIRS: CUDA: memory of the driver is recorded where the program looks up driver functions: the driver has loaded another tool: /theirs.so
// RUN: memdump %t.fb | FileCheck %s
//
// The program subscribes, in the midst of threads that allocate and are given each other's
// addresses.
// RUN: %cuda env FAKECUDA_REUSE=1 memrec -v -o %t.own.fb -- %t.exe subscribe 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: heard: 1
// RUN: memdump --check %t.own.fb
// RUN: memdump --summary %t.own.fb | FileCheck %s --check-prefix=ALL
// ALL: events {{.*}} 0 lost
// ALL: cuda:0.device 120,005 120,005
// RUN: memdump %t.own.fb | FileCheck %s

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(CALL)                                                            \
  do {                                                                         \
    int Result = (int)(CALL);                                                  \
    if (Result) {                                                              \
      fprintf(stderr, "%d: %s: %d\n", __LINE__, #CALL, Result);                \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static int Heard;
static void onCallback(void *Data, CUpti_CallbackDomain D, CUpti_CallbackId Id, const void *Of) { Heard = 1; }

static void *storm(void *Data) {
  for (int I = 0; I != 30000; ++I) {
    void *P;
    CHECK(cudaMalloc(&P, 1000));
    CHECK(cudaFree(P));
  }
  return NULL;
}

// Kineto comes and goes.
static void profile(void) {
  pthread_t T[4];
  for (int I = 0; I != 4; ++I)
    pthread_create(&T[I], NULL, storm, NULL);
  for (int I = 0; I != 50; ++I) {
    CUpti_SubscriberHandle S;
    CUpti_SubscriberParams Params = {CUpti_SubscriberParams_STRUCT_SIZE};
    CHECK(I % 2 ? cuptiSubscribe(&S, onCallback, NULL) : cuptiSubscribe_v2(&S, onCallback, NULL, &Params));
    CHECK(cuptiEnableCallback(1, S, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2));
    usleep(500);
    CHECK(cuptiUnsubscribe(S));
    usleep(500);
  }
  for (int I = 0; I != 4; ++I)
    pthread_join(T[I], NULL);
  printf("heard: %d\n", Heard);
}

int main(int Argc, char **Argv) {
  void *A, *B, *C, *D;
  cudaStream_t S;
  void *Small[4];
  // CHECK: alloc #[[#A:]] 1 MiB cuda:0.device at 0x{{[0-9a-f]+}} stack
  // CHECK: cuMemAlloc{{$}}
  // CHECK: cudaMalloc
  // CHECK-NEXT: main (interpose.c:[[#@LINE+1]])
  CHECK(cudaMalloc(&A, 1 << 20));
  // CHECK: alloc #[[#B:]] 4.88 KiB cuda:0.managed at 0x{{[0-9a-f]+}} stack
  // CHECK: cuMemAllocManaged{{$}}
  CHECK(cudaMallocManaged(&B, 5000, cudaMemAttachGlobal));
  // CHECK: alloc #[[#C:]] 6.84 KiB cuda.pinned at 0x{{[0-9a-f]+}}{{( in #[0-9]+)?}} stack
  // CHECK: cuMemHostAlloc{{$}}
  CHECK(cudaHostAlloc(&C, 7000, cudaHostAllocDefault));
  CHECK(cudaStreamCreate(&S));
  // CHECK: alloc #[[#D:]] 8.79 KiB cuda:0.pool at 0x{{[0-9a-f]+}} stream 1 stack
  // CHECK: cuMemAllocAsync{{$}}
  CHECK(cudaMallocAsync(&D, 9000, S));
  for (int I = 0; I != 4; ++I)
    CHECK(cudaMalloc(&Small[I], 100));
  if (Argc > 1)
    profile();
  for (int I = 0; I != 4; ++I)
    CHECK(cudaFree(Small[I]));
  // CHECK: free #[[#D]]
  CHECK(cudaFreeAsync(D, S));
  // CHECK: free #[[#C]]
  CHECK(cudaFreeHost(C));
  // CHECK: free #[[#B]]
  CHECK(cudaFree(B));
  // What is left ends with the context.
  // CHECK: free #[[#A]]
  // CHECK: user CUDA context ends: 1 blocks, 1048576 bytes with it
  CHECK(cudaDeviceReset());
  return 0;
}
