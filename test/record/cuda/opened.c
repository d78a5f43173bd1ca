// Another process's memory, by the function that CUDA 4.1 has and by that of 11.0; opened
// twice, it stays until it is closed twice. (Whose it is, the tests' driver makes up.)
//
// RUN: %cuda_cc %s -o %t.exe -ldl
// RUN: %cuda memrec --cuda=cupti -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
// RUN: %cuda memrec --cuda=interpose -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// HEAPS: events {{.*}} 0 lost
// HEAPS: cuda:0.imported 2 2 6 MiB 0 B 0 6 MiB

#include "Inputs/check.h"
#include <dlfcn.h>

static CUresult (*Find)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
static void *find(const char *Name, int Version) {
  void *P = NULL;
  CHECK(Find(Name, &P, Version, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  return P;
}
#define CALL(NAME, VERSION) ((typeof(&NAME))find(#NAME, VERSION))

int main(void) {
  Find = (typeof(Find))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
  CUcontext C;
  CUdeviceptr P, Q, R;
  CUipcMemHandle One = {{1}}, Two = {{2}};
  CHECK(CALL(cuInit, 2000)(0));
  CHECK(CALL(cuDevicePrimaryCtxRetain, 7000)(&C, 0));
  CHECK(CALL(cuCtxSetCurrent, 4000)(C));
  // CHECK: alloc #[[#P:]] 3 MiB cuda:0.imported
  // CHECK: cuIpcOpenMemHandle{{$}}
  CHECK(CALL(cuIpcOpenMemHandle, 4010)(&P, One, 0));
  // CHECK: alloc #[[#R:]] 3 MiB cuda:0.imported
  CHECK(CALL(cuIpcOpenMemHandle, 11000)(&R, Two, 0));
  CHECK(CALL(cuIpcOpenMemHandle, 11000)(&Q, One, 0));
  CHECK(CALL(cuIpcCloseMemHandle, 4010)(P));
  // CHECK: free #[[#R]]
  CHECK(CALL(cuIpcCloseMemHandle, 4010)(R));
  // CHECK: free #[[#P]]
  CHECK(CALL(cuIpcCloseMemHandle, 4010)(Q));
  return 0;
}
