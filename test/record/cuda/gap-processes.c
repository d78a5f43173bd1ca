// Two recorded processes on a device: others' is what neither has, and what one of them
// had ends with it, though it was killed.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: rm -f %t.state
// RUN: %cuda env FAKECUDA_STATE=%t.state FAKECUDA_OTHER_BYTES=104857600 FAKECUDA_CONTEXT_BYTES=314572800 \
// RUN:   FAKECUDA_MODULE_BYTES=16777216 memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep device-used | FileCheck %s
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
//
// The parent has 300 and 64 MiB, the child 300, 16 and 32, another process 100.

#include "Inputs/check.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  CUdeviceptr P;
  CUmodule M;
  begin();
  if (Argc > 1) {
    CHECK(cuModuleLoadData(&M, ""));
    CHECK(cuMemAlloc(&P, 32 << 20));
    usleep(200000);
    raise(SIGKILL);
  }
  // CHECK: device-used 1 464 MiB 8 GiB accounted 64 MiB contexts 300 MiB modules 0 B others 100 MiB own 364 MiB
  CHECK(cuMemAlloc(&P, 64 << 20));
  if (!fork())
    execl("/proc/self/exe", Argv[0], "child", NULL);
  // CHECK: device-used 1 812 MiB 8 GiB accounted 96 MiB contexts 600 MiB modules 16 MiB others 100 MiB own 712 MiB
  wait(NULL);
  usleep(2500000);
  // CHECK: device-used 1 464 MiB 8 GiB accounted 64 MiB contexts 300 MiB modules 0 B others 100 MiB own 364 MiB
  return 0;
}
// CHECK-NOT: device-used

// STAT: gap of when contexts modules other processes unknown
// STAT: cuda:0 most used 600 MiB 16 MiB 100 MiB 0 B
// STAT: largest gap 600 MiB 16 MiB 100 MiB 0 B
// STAT: last sample 300 MiB 0 B 100 MiB 0 B
// STAT: gap grew of from to step by mostly
// STAT: contexts {{[36]}}00 MiB
