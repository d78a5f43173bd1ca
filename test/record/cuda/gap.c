// What a device has in use and no block accounts for is told apart: contexts and modules,
// measured while they are made and loaded, and what other processes have, which NVML knows.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: rm -f %t.state
// RUN: %cuda env FAKECUDA_STATE=%t.state FAKECUDA_OTHER_BYTES=104857600 FAKECUDA_CONTEXT_BYTES=314572800 \
// RUN:   FAKECUDA_MODULE_BYTES=16777216 memrec -o %t.fb -- %t.exe 2> %t.err
// RUN: FileCheck %s --check-prefix=SILENT --allow-empty < %t.err
// SILENT-NOT: CUDA
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep device-used | FileCheck %s
//
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
// RUN: memstat --format=json %t.fb | %python -c "import json, sys; print(json.dumps(json.load(sys.stdin)['gap'][0]['last']))" | FileCheck %s --check-prefix=JSON
//
// A context takes 300 MiB, a module 16, another process has 100 and later 300.

#include "Inputs/check.h"
#include <unistd.h>

void fakecuda_set_other(int Device, size_t Bytes);

static void later(void) { usleep(300000); }

int main(void) {
  CUdeviceptr P, Q;
  CUmodule M;
  CUlibrary L;
  // Before and after the context is made.
  // CHECK: device-used 1 100 MiB 8 GiB accounted 0 B contexts 0 B modules 0 B others 100 MiB own 0 B
  // CHECK: device-used 1 400 MiB 8 GiB accounted 0 B contexts 300 MiB modules 0 B others 100 MiB own 300 MiB
  CUcontext C = begin();
  // CHECK: device-used 1 416 MiB 8 GiB accounted 0 B contexts 300 MiB modules 16 MiB others 100 MiB own 316 MiB
  CHECK(cuModuleLoadData(&M, ""));
  // Soon after: this one is told of when it is looked at next.
  // CHECK: device-used 1 496 MiB 8 GiB accounted 64 MiB contexts 300 MiB modules 32 MiB others 100 MiB own 396 MiB
  CHECK(cuLibraryLoadData(&L, "", NULL, NULL, 0, NULL, NULL, 0));
  CHECK(cuMemAlloc(&P, 64 << 20));
  later();
  // The other process is seen to grow while this one does nothing.
  // CHECK: device-used 1 696 MiB 8 GiB accounted 64 MiB contexts 300 MiB modules 32 MiB others 300 MiB own 396 MiB
  fakecuda_set_other(0, 200 << 20);
  usleep(2500000);
  // CHECK: device-used 1 700 MiB 8 GiB accounted 68 MiB contexts 300 MiB modules 32 MiB others 300 MiB own 400 MiB
  CHECK(cuMemAlloc(&Q, 4 << 20));
  later();
  // CHECK: device-used 1 684 MiB 8 GiB accounted 68 MiB contexts 300 MiB modules 16 MiB others 300 MiB own 384 MiB
  CHECK(cuModuleUnload(M));
  later();
  // What is left goes with the context; another one takes as much.
  CHECK(cuCtxDestroy(C));
  later();
  // CHECK: device-used 1 600 MiB 8 GiB accounted 0 B contexts 300 MiB modules 0 B others 300 MiB own 300 MiB
  CHECK(cuDevicePrimaryCtxRetain(&C, 0));
  CHECK(cuCtxSetCurrent(C));
  // A kernel's module is loaded when it is launched: that is known when the driver is
  // asked next.
  CUfunction F;
  setenv("FAKECUDA_LAZY", "1", 1);
  CHECK(cuModuleLoadData(&M, ""));
  CHECK(cuModuleGetFunction(&F, M, "kernel"));
  CHECK(cuLaunchKernel(F, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  // CHECK: device-used 1 616 MiB 8 GiB accounted 0 B contexts 300 MiB modules 0 B others 300 MiB own 316 MiB
  usleep(2500000);
  // CHECK: device-used 1 618 MiB 8 GiB accounted 2 MiB contexts 300 MiB modules 16 MiB others 300 MiB own 318 MiB
  CHECK(cuMemAlloc(&P, 2 << 20));
  // A context that cannot be made is none.
  CUcontext None;
  setenv("FAKECUDA_FAIL", "cuCtxCreate_v4:1:999", 1);
  if (cuCtxCreate(&None, NULL, 0, 0) != CUDA_ERROR_UNKNOWN)
    return 1;
  // Another one is measured while this one is there.
  // CHECK: device-used 1 918 MiB 8 GiB accounted 2 MiB contexts 600 MiB modules 16 MiB others 300 MiB own 618 MiB
  CHECK(cuCtxCreate(&None, NULL, 0, 0));
  return 0;
}

// Nothing is left unknown, but for the kernel's module while nobody had looked.
// STAT: used of when at used accounted for gap
// STAT: gap of when contexts modules other processes unknown
// STAT: cuda:0 most used 600 MiB 16 MiB 300 MiB 0 B
// STAT: last sample 600 MiB 16 MiB 300 MiB 0 B
// STAT: gap grew of from to step by mostly
// STAT: contexts 300 MiB
// JSON: "used_bytes": 962592768, "accounted_bytes": 2097152, "gap_bytes": 960495616, "contexts_bytes": 629145600, "modules_bytes": 16777216, "other_processes_bytes": 314572800, "unknown_bytes": 0
