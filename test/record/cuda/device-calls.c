// A program counts what it takes of CUDA's driver, and the trace has just that: by CUPTI and by
// wrappers, on the tests' driver and on a GPU (utils/check --gpu).
//
// RUN: %cuda_cc %s -o %t.exe -ldl
// RUN: %cuda memrec --cuda=cupti -o %t.fb -- %t.exe > %t.own
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/compare.py %t.own %t.json
// RUN: memdump %t.fb | FileCheck %s
// RUN: %cuda memrec --cuda=interpose -o %t.i.fb -- %t.exe > %t.own
// RUN: memdump --check %t.i.fb
// RUN: memdump --summary --format=json %t.i.fb > %t.json
// RUN: %python %S/Inputs/compare.py %t.own %t.json
// RUN: memdump %t.i.fb | FileCheck %s
//
// More than there is, is a mark.
// CHECK: oom cuda:0.device 1 PiB
//
// Another count than the program's is seen.
// RUN: sed 's/^cuda:0.managed 2/cuda:0.managed 1/' %t.own > %t.wrong
// RUN: not %python %S/Inputs/compare.py %t.wrong %t.json 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: cuda:0.managed: the program has ['1', '10000', '0'], the trace ['2', '10000', '0']

#include "Inputs/check.h"
#include <dlfcn.h>

// Found as CUDA's runtime finds them, and linked with nothing.
#define TEXT(NAME) #NAME
#define NAME_OF(NAME) TEXT(NAME) // with its version, cuMemAlloc_v2
#define CALL(FUNCTION, ...) CHECK(((typeof(&FUNCTION))find(NAME_OF(FUNCTION)))(__VA_ARGS__))

static void *find(const char *Name) {
  static void *Library;
  if (!Library && !(Library = dlopen("libcuda.so.1", RTLD_NOW)))
    exit(1);
  void *Function = dlsym(Library, Name);
  if (!Function) {
    fprintf(stderr, "no %s\n", Name);
    exit(1);
  }
  return Function;
}

static void tell(const char *Heap, unsigned Allocations, size_t Bytes, size_t Live) {
  printf("%s %u %zu %zu\n", Heap, Allocations, Bytes, Live);
}

int main(void) {
  CUdevice D;
  CUcontext C;
  CALL(cuInit, 0);
  CALL(cuDeviceGet, &D, 0);
  CALL(cuDevicePrimaryCtxRetain, &C, D);
  CALL(cuCtxSetCurrent, C);

  CUdeviceptr P, Q, Kept;
  size_t Pitch;
  CALL(cuMemAlloc, &P, 1000000);
  CALL(cuMemAllocPitch, &Q, &Pitch, 1000, 30, 4);
  CALL(cuMemAlloc, &Kept, 123456);
  CALL(cuMemFree, P);
  CALL(cuMemFree, Q);
  tell("cuda:0.device", 3, 1000000 + Pitch * 30 + 123456, 123456);

  for (int I = 0; I != 2; ++I) {
    CALL(cuMemAllocManaged, &P, 5000, CU_MEM_ATTACH_GLOBAL);
    CALL(cuMemFree, P);
  }
  tell("cuda:0.managed", 2, 10000, 0);

  CUstream S;
  CUdeviceptr Async[3];
  CALL(cuStreamCreate, &S, CU_STREAM_NON_BLOCKING);
  for (int I = 0; I != 3; ++I)
    CALL(cuMemAllocAsync, &Async[I], 1 << (20 + I), S);
  for (int I = 0; I != 2; ++I)
    CALL(cuMemFreeAsync, Async[I], S);
  CALL(cuStreamSynchronize, S);
  tell("cuda:0.pool", 3, 7 << 20, 4 << 20);

  CUarray Array;
  CUDA_ARRAY_DESCRIPTOR Shape = {64, 64, CU_AD_FORMAT_FLOAT, 1};
  CALL(cuArrayCreate, &Array, &Shape);
  CALL(cuArrayDestroy, Array);
  tell("cuda:0.array", 1, 64 * 64 * 4, 0);

  void *H, *G;
  CALL(cuMemHostAlloc, &H, 7000, 0);
  CALL(cuMemAllocHost, &G, 9000);
  CALL(cuMemFreeHost, H);
  tell("cuda.pinned", 2, 16000, 9000);

  void *Own = aligned_alloc(4096, 12288);
  CALL(cuMemHostRegister, Own, 12288, 0);
  CALL(cuMemHostUnregister, Own);
  tell("cuda.registered", 1, 12288, 0);

  CUresult R = ((typeof(&cuMemAlloc))find(NAME_OF(cuMemAlloc)))(&P, (size_t)1 << 50);
  return R == CUDA_ERROR_OUT_OF_MEMORY ? 0 : 1;
}
