// Threads on eight devices that allocate, free, hand over and use streams: everything
// that was allocated was freed, and nothing is lost. Many blocks that live at once.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda -pthread
// RUN: %cuda env FAKECUDA_DEVICES=8 memrec -o %t.fb -- %t.exe 64 %if long %{ 20000 %} %else %{ 2000 %} 8
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// CHECK: events {{.*}} 0 lost
// CHECK-DAG: cuda:0.device {{.*}} 0 B 0
// CHECK-DAG: cuda:0.pool {{.*}} 0 B 0
// CHECK-DAG: cuda:7.device {{.*}} 0 B 0
//
// RUN: %cuda env FAKECUDA_BYTES=8000000000000 memrec -q --cuda=cupti -o %t.many.fb -- %t.exe 1 %if long %{ 1000000 %} %else %{ 50000 %} 1
// RUN: memdump --check %t.many.fb

#include "Inputs/check.h"
#include <pthread.h>
#include <string.h>

static int Rounds, Devices;
static CUcontext Contexts[8];
static CUdeviceptr Handed[64]; // taken by exchange

static void *run(void *Of) {
  size_t I = (size_t)Of;
  CUstream S;
  unsigned Seed = (unsigned)I;
  CHECK(cuCtxSetCurrent(Contexts[I % Devices]));
  CHECK(cuStreamCreate(&S, CU_STREAM_NON_BLOCKING));
  for (int R = 0; R != Rounds; ++R) {
    CUdeviceptr P, Q;
    size_t Bytes = 512 + rand_r(&Seed) % 100000;
    CHECK(cuMemAlloc(&P, Bytes));
    CHECK(cuMemAllocAsync(&Q, Bytes, S));
    // Another thread frees it.
    P = __atomic_exchange_n(&Handed[rand_r(&Seed) % 64], P, __ATOMIC_ACQ_REL);
    if (P)
      CHECK(cuMemFree(P));
    CHECK(cuMemFreeAsync(Q, S));
  }
  return NULL;
}

static void many(int N) {
  CUdeviceptr *All = malloc(N * sizeof(*All));
  for (int I = 0; I != N; ++I)
    CHECK(cuMemAlloc(&All[I], 1000));
  for (int I = 0; I != N; ++I)
    CHECK(cuMemFree(All[I]));
}

int main(int Argc, char **Argv) {
  int Threads = atoi(Argv[1]);
  Rounds = atoi(Argv[2]);
  Devices = atoi(Argv[3]);
  CHECK(cuInit(0));
  for (int D = 0; D != Devices; ++D)
    CHECK(cuDevicePrimaryCtxRetain(&Contexts[D], D));
  CHECK(cuCtxSetCurrent(Contexts[0]));
  if (Threads == 1) {
    many(Rounds);
    return 0;
  }
  pthread_t T[64];
  for (size_t I = 0; I != Threads; ++I)
    pthread_create(&T[I], NULL, run, (void *)I);
  for (int I = 0; I != Threads; ++I)
    pthread_join(T[I], NULL);
  for (int I = 0; I != 64; ++I)
    if (Handed[I])
      CHECK(cuMemFree(Handed[I]));
  return 0;
}
