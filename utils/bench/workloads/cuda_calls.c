// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the calls of CUDA's driver that allocate or free memory:
//
//     cuda_calls [ROUNDS [PAIRS]]
//
// Each of ROUNDS (200) rounds makes PAIRS (200) pairs of cuMemAlloc and
// cuMemFree, and as many of cuMemAllocAsync and cuMemFreeAsync on a stream. The
// program opens the driver as CUDA's runtime does. The last line is JSON:
// nanoseconds of a call, the median of the rounds.
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { Bytes = 1 << 20 };

#define CHECK(CALL)                                                            \
  do {                                                                         \
    CUresult Result = CALL;                                                    \
    if (Result) {                                                              \
      fprintf(stderr, "%s: error %d\n", #CALL, Result);                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define TEXT(NAME) #NAME
#define NAME_OF(NAME) TEXT(NAME) // with the version: cuMemAlloc_v2
#define FIND(FUNCTION) ((typeof(&FUNCTION))find(Library, NAME_OF(FUNCTION)))

static void *find(void *Library, const char *Name) {
  void *Function = dlsym(Library, Name);
  if (!Function) {
    fprintf(stderr, "the driver has no %s\n", Name);
    exit(1);
  }
  return Function;
}

static typeof(&cuMemAlloc) Alloc;
static typeof(&cuMemFree) Free;
static typeof(&cuMemAllocAsync) AllocAsync;
static typeof(&cuMemFreeAsync) FreeAsync;
static typeof(&cuStreamSynchronize) Synchronize;

static double now(void) {
  struct timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return T.tv_sec * 1e9 + T.tv_nsec;
}

static int compare(const void *A, const void *B) {
  double X = *(const double *)A, Y = *(const double *)B;
  return (X > Y) - (X < Y);
}

static double plain(int Pairs) {
  double Begin = now();
  for (int I = 0; I != Pairs; ++I) {
    CUdeviceptr P;
    CHECK(Alloc(&P, Bytes));
    CHECK(Free(P));
  }
  return (now() - Begin) / (2.0 * Pairs);
}

static double async(int Pairs, CUstream Stream) {
  double Begin = now();
  for (int I = 0; I != Pairs; ++I) {
    CUdeviceptr P;
    CHECK(AllocAsync(&P, Bytes, Stream));
    CHECK(FreeAsync(P, Stream));
  }
  double Taken = (now() - Begin) / (2.0 * Pairs);
  CHECK(Synchronize(Stream));
  return Taken;
}

int main(int Argc, char **Argv) {
  int Rounds = Argc > 1 ? atoi(Argv[1]) : 200;
  int Pairs = Argc > 2 ? atoi(Argv[2]) : 200;
  if (Rounds < 1 || Pairs < 1)
    return 2;
  CUdevice D;
  CUcontext C;
  CUstream Stream;
  void *Library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!Library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  Alloc = FIND(cuMemAlloc);
  Free = FIND(cuMemFree);
  AllocAsync = FIND(cuMemAllocAsync);
  FreeAsync = FIND(cuMemFreeAsync);
  Synchronize = FIND(cuStreamSynchronize);
  CHECK(FIND(cuInit)(0));
  CHECK(FIND(cuDeviceGet)(&D, 0));
  CHECK(FIND(cuDevicePrimaryCtxRetain)(&C, D));
  CHECK(FIND(cuCtxSetCurrent)(C));
  CHECK(FIND(cuStreamCreate)(&Stream, CU_STREAM_NON_BLOCKING));
  double *Plain = calloc(Rounds, sizeof(double));
  double *Async = calloc(Rounds, sizeof(double));
  plain(Pairs); // the first calls are slower
  async(Pairs, Stream);
  for (int I = 0; I != Rounds; ++I) {
    Plain[I] = plain(Pairs);
    Async[I] = async(Pairs, Stream);
  }
  qsort(Plain, Rounds, sizeof(double), compare);
  qsort(Async, Rounds, sizeof(double), compare);
  printf("{\"cuMemAlloc\": %.1f, \"cuMemAllocAsync\": %.1f}\n",
         Plain[Rounds / 2], Async[Rounds / 2]);
  return 0;
}
