// What of allocations is a graph's: those on a stream that captures, whichever thread makes
// them; none any more once another thread has ended the capture, or the stream is gone. An
// end of what captures nothing ends no other's, so that the driver is asked nothing yet.
//
// RUN: %cuda_cc %s -o %t.exe -ldl -pthread
// RUN: %cuda memrec --cuda=cupti -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb > %t.txt
// RUN: grep ' alloc .*cuda:0[.]' %t.txt | FileCheck %s
// RUN: grep -E 'heap-reserved|device-used' %t.txt | FileCheck %s --check-prefix=MARKS
// RUN: %cuda memrec --cuda=interpose -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb > %t.txt
// RUN: grep ' alloc .*cuda:0[.]' %t.txt | FileCheck %s
// RUN: grep -E 'heap-reserved|device-used' %t.txt | FileCheck %s --check-prefix=MARKS

// The pool has given out 3 + 4 + 5 KiB when it is first asked.
// MARKS: {{^}} {{[0-9]+}}.{{[0-9]+}} heap-reserved cuda:0.pool {{[0-9.]+}} {{.}}iB 12 KiB
// MARKS: device-used 1

#include "Inputs/check.h"
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static CUresult (*Find)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
static void *find(const char *Name) {
  void *P = NULL;
  CHECK(Find(Name, &P, 13000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  return P;
}
#define CALL(NAME) ((typeof(&NAME))find(#NAME))

static CUcontext Context;
static CUstream S, Other;
static CUdeviceptr P;
static size_t Bytes;
static void *allocate(void *On) {
  CHECK(CALL(cuCtxSetCurrent)(Context));
  CHECK(CALL(cuMemAllocAsync)(&P, Bytes += 1024, On));
  return NULL;
}
static void *end(void *Data) {
  CUgraph G;
  CHECK(CALL(cuCtxSetCurrent)(Context));
  CHECK(CALL(cuStreamEndCapture)(S, &G));
  return NULL;
}
static void inThread(void *(*Does)(void *), void *Data) {
  pthread_t T;
  pthread_create(&T, NULL, Does, Data);
  pthread_join(T, NULL);
}
static void capture(void) {
  CHECK(CALL(cuStreamBeginCapture)(S, CU_STREAM_CAPTURE_MODE_RELAXED));
}

int main(void) {
  void *Library = dlopen("libcuda.so.1", RTLD_NOW);
  Find = (typeof(Find))dlsym(Library, "cuGetProcAddress_v2");
  CHECK(CALL(cuInit)(0));
  CHECK(CALL(cuDevicePrimaryCtxRetain)(&Context, 0));
  CHECK(CALL(cuCtxSetCurrent)(Context));
  CHECK(CALL(cuStreamCreate)(&S, CU_STREAM_NON_BLOCKING));
  CHECK(CALL(cuStreamCreate)(&Other, CU_STREAM_NON_BLOCKING));
  CUgraph G;
  capture();
  // CHECK: alloc #[[#]] 1 KiB cuda:0.graph
  allocate(S);
  // CHECK: alloc #[[#]] 2 KiB cuda:0.graph
  inThread(allocate, S);
  // CHECK: alloc #[[#]] 3 KiB cuda:0.pool
  inThread(allocate, Other);
  if (!CALL(cuStreamEndCapture)(Other, &G))
    return 1;
  // CHECK: alloc #[[#]] 4 KiB cuda:0.pool
  usleep(10000);
  inThread(allocate, Other);
  inThread(end, NULL);
  // CHECK: alloc #[[#]] 5 KiB cuda:0.pool
  usleep(10000);
  allocate(S);
  capture();
  // CHECK: alloc #[[#]] 6 KiB cuda:0.graph
  allocate(S);
  CHECK(CALL(cuStreamDestroy)(S));
  // CHECK: alloc #[[#]] 7 KiB cuda:0.pool
  allocate(Other);
  // Each thread has a default stream of its own.
  CHECK(CALL(cuStreamBeginCapture)(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
  // CHECK: alloc #[[#]] 8 KiB cuda:0.graph
  allocate(CU_STREAM_PER_THREAD);
  // CHECK: alloc #[[#]] 9 KiB cuda:0.pool
  inThread(allocate, CU_STREAM_PER_THREAD);
  CHECK(CALL(cuStreamEndCapture)(CU_STREAM_PER_THREAD, &G));
  // CHECK: alloc #[[#]] 10 KiB cuda:0.pool
  allocate(CU_STREAM_PER_THREAD);
  return 0;
}
