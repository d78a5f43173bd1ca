// NVML that is not there, of another version, fails or never answers: the program is
// unharmed, and one line says what is not known.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: rm -f %t.state; rm -rf %t.none; mkdir %t.none
// RUN: cp %fake_cuda/libcuda.so.1 %fake_cuda/libcupti.so.13 %t.none
// DEFINE: %{bytes} = FAKECUDA_OTHER_BYTES=104857600 FAKECUDA_CONTEXT_BYTES=314572800
// DEFINE: %{nvml} = env FAKECUDA_STATE=%t.state %{bytes}
// (The machine may have a real one, which knows no such device.)
// RUN: env LD_LIBRARY_PATH=%t.none %{bytes} memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: memrec: warning: CUDA: memory of contexts and other processes is unknown: {{libnvidia-ml.so.1 was not found|NVML: }}
// NONE-NOT: warning
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s --check-prefixes=ALERT,UNKNOWN
// ALERT: alert CUDA: memory of contexts and other processes is unknown
// What the driver says there is, without it.
// UNKNOWN: device-used 1 402 MiB 8 GiB accounted 2 MiB contexts unknown modules 0 B others unknown own unknown
//
// RUN: env LD_LIBRARY_PATH=%t.none %{bytes} memrec --cuda=off -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: CUDA
//
// RUN: %cuda memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: is unknown: NVML: nvmlInit_v2: Driver Not Loaded
//
// RUN: %cuda %{nvml} FAKENVML_FAIL=nvmlDeviceGetHandleByUUID:6 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: is unknown: NVML: device GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae00: an error of the fake NVML
// DEVICE-NOT: warning
// RUN: memdump %t.fb | FileCheck %s --check-prefix=UNKNOWN
//
// RUN: echo 'int nvmlInit_v2(void) { return 0; }' > %t.c
// RUN: %cc -shared -fPIC %t.c -o %t.none/libnvidia-ml.so.1
// RUN: env LD_LIBRARY_PATH=%t.none %{bytes} memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: is unknown: this version of NVML lacks nvmlDeviceGetHandleByUUID
//
// One that never answers: the program waits half a second.
// RUN: %cuda %{nvml} FAKENVML_HANG=1 timeout 60 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=HANG
// HANG: is unknown: NVML does not answer in time
// HANG-NOT: warning
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s --check-prefix=UNKNOWN
//
// It answers, but not what each process has: what others had before the first context.
// RUN: %cuda %{nvml} FAKENVML_NO_PIDS=1 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=PIDS
// RUN: memdump %t.fb | FileCheck %s --check-prefix=BEFORE
// RUN: %cuda %{nvml} FAKENVML_PIDS_FROM=5000000 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=PIDS
// RUN: memdump %t.fb | FileCheck %s --check-prefix=BEFORE
// PIDS: memrec: warning: CUDA: NVML does not list the recorded processes (their pids may be of another namespace): the memory of other processes is assumed to be what was used before the first context
// BEFORE: device-used 1 402 MiB 8 GiB accounted 2 MiB contexts 300 MiB modules 0 B others 100 MiB own unknown
//
// Older ones have other functions, some newer ones longer entries. In the older figure is
// what the driver keeps for itself.
// RUN: %cuda %{nvml} FAKENVML_STRIDE=32 FAKENVML_RESERVED=10485760 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: warning
// RUN: memdump %t.fb | FileCheck %s --check-prefix=LISTED
// LISTED: device-used 1 402 MiB 8 GiB accounted 2 MiB contexts 300 MiB modules 0 B others 100 MiB own 302 MiB
// RUN: %cuda_cc -DFAKENVML_OLD -shared -fPIC %src_root/test/Inputs/fakecuda/nvml.c %src_root/test/Inputs/fakecuda/machine.c -o %t.none/libnvidia-ml.so.1
// RUN: env LD_LIBRARY_PATH=%t.none %{bytes} FAKECUDA_STATE=%t.state FAKENVML_RESERVED=10485760 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: memdump %t.fb | FileCheck %s --check-prefix=OLD
// OLD: device-used 1 402 MiB 8 GiB accounted 2 MiB contexts 300 MiB modules 0 B others 110 MiB own 292 MiB

#include "Inputs/check.h"

int main(void) {
  begin();
  CUdeviceptr P;
  CHECK(cuMemAlloc(&P, 2 << 20));
  return 0;
}
