// What does not go as it should: the program does what it does alone, and the trace is
// consistent and says what it lacks.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda -pthread
//
// No device, and no libcupti.
// RUN: %cuda env FAKECUDA_NO_DEVICE=1 %{status} 3 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: CUDA
// RUN: rm -rf %t.none && mkdir %t.none && cp %fake_cuda/libcuda.so.1 %t.none
// RUN: env LD_LIBRARY_PATH=%t.none memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=NONE
// (The machine may have a real one, which does not take this driver.)
// NONE: CUDA: memory of the driver is not recorded: {{no libcupti was found|CUPTI refused}}
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s --check-prefix=ALERT
// ALERT: alert CUDA: memory of the driver is not recorded
//
// Another tool has CUPTI; one that is none.
// RUN: %cuda env FAKECUPTI_TAKEN=1 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: CUDA: memory of the driver is not recorded: another tool uses CUPTI
// RUN: %cuda env FAKECUPTI_FAIL=999 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: CUDA: memory of the driver is not recorded: CUPTI refused, error 999
//
// A call that fails is no allocation, and one of these is no want of memory. Frees of what
// is not there are said; a child of fork has nothing of its parent's.
// RUN: %cuda env FAKECUDA_FAIL=cuMemAlloc_v2:2:719 memrec -o %t.fb -- %t.exe fail 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: , 2 lost,
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=FAILED
// FAILED: cuda:0.device 2 1
// RUN: memdump %t.fb | FileCheck %s --check-prefix=NOOOM
// NOOOM-NOT: oom
//
// Not recorded at all: nothing is loaded, nothing said.
// RUN: %cuda env FAKECUDA_LOG=1 memrec --cuda=off -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: fakecuda: injection of nothing
// RUN: %cuda memrec --heap=host.malloc -o %t.fb -- %t.exe
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAP --implicit-check-not=cuda:0
// HEAP: host.malloc
//
// The library alone, without memrec.
// RUN: %cuda env CUDA_INJECTION64_PATH=%memrec_cuda FAKECUDA_LOG=1 %t.exe 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: injection of {{.*}}: yes

#include "Inputs/check.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  if (cuInit(0))
    return 3;
  begin();
  CUdeviceptr P, Q, R;
  CHECK(cuMemAlloc(&P, 4096));
  if (Argc == 1)
    return 0;
  if (cuMemAlloc(&Q, 4096) != CUDA_ERROR_LAUNCH_FAILED)
    return 1;
  CHECK(cuMemAlloc(&R, 4096));
  CHECK(cuMemFree(R));
  // Twice, and one that never was.
  if (!cuMemFree(R) || !cuMemFree((CUdeviceptr)0x1234560000))
    return 1;
  pid_t Child = fork();
  if (!Child) {
    cuMemFree(P);
    _exit(0);
  }
  waitpid(Child, NULL, 0);
  return 0;
}
