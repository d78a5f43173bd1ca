// Contexts and modules are measured where a program looks the driver's functions up, too;
// what a launch loads nobody tells of then: it is unknown.
//
// RUN: %cuda_cc %s -o %t.exe -ldl
// RUN: rm -f %t.state
// RUN: %cuda env FAKECUDA_STATE=%t.state FAKECUDA_OTHER_BYTES=104857600 FAKECUDA_CONTEXT_BYTES=314572800 \
// RUN:   FAKECUDA_MODULE_BYTES=16777216 memrec --cuda=interpose -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep device-used | FileCheck %s
// RUN: memstat --format=json %t.fb | %python -c "import json, sys; print(json.dumps(json.load(sys.stdin)['gap'][0]['last']))" | FileCheck %s --check-prefix=JSON

#include "Inputs/check.h"
#include <dlfcn.h>
#include <unistd.h>

#define FIND(NAME) ((typeof(&NAME))dlsym(Driver, #NAME))

int main(void) {
  void *Driver = dlopen("libcuda.so.1", RTLD_NOW);
  CUcontext C;
  CUmodule M;
  CUfunction F;
  CUdeviceptr P;
  CHECK(FIND(cuInit)(0));
  // CHECK: device-used 1 100 MiB 8 GiB accounted 0 B contexts 0 B modules 0 B others 100 MiB own 0 B
  // CHECK: device-used 1 400 MiB 8 GiB accounted 0 B contexts 300 MiB modules 0 B others 100 MiB own 300 MiB
  CHECK(FIND(cuCtxCreate_v4)(&C, NULL, 0, 0));
  // CHECK: device-used 1 416 MiB 8 GiB accounted 0 B contexts 300 MiB modules 16 MiB others 100 MiB own 316 MiB
  CHECK(FIND(cuModuleLoadData)(&M, ""));
  setenv("FAKECUDA_LAZY", "1", 1);
  CHECK(FIND(cuModuleLoadData)(&M, ""));
  // Those that were loaded by then are told of at this look.
  usleep(200000);
  CHECK(FIND(cuMemAlloc_v2)(&P, 2 << 20));
  CHECK(FIND(cuModuleGetFunction)(&F, M, "kernel"));
  CHECK(FIND(cuLaunchKernel)(F, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  usleep(200000);
  // CHECK: device-used 1 436 MiB 8 GiB accounted 4 MiB contexts 300 MiB modules 16 MiB others 100 MiB own 336 MiB
  CHECK(FIND(cuMemAlloc_v2)(&P, 2 << 20));
  return 0;
}
// JSON: "gap_bytes": 452984832, "contexts_bytes": 314572800, "modules_bytes": 16777216, "other_processes_bytes": 104857600, "unknown_bytes": 16777216
