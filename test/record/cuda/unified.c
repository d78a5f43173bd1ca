// A device that shares the machine's memory (GB10): the driver counts the pages of files as
// used, NVML does not support the memory of the device, but knows that of each process. What
// is used is then the sum of the processes, and the size is the machine's.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: rm -f %t.state; rm -rf %t.none; mkdir %t.none
// RUN: cp %fake_cuda/libcuda.so.1 %fake_cuda/libcupti.so.13 %t.none
// DEFINE: %{bytes} = FAKECUDA_OTHER_BYTES=104857600 FAKECUDA_CONTEXT_BYTES=314572800 FAKECUDA_MODULE_BYTES=16777216
// DEFINE: %{nvml} = env FAKECUDA_STATE=%t.state FAKECUDA_SHARES=2147483648 %{bytes}
// RUN: %cuda %{nvml} memrec -o %t.fb -- %t.exe wait 2> %t.err
// RUN: FileCheck %s --check-prefix=SILENT --allow-empty < %t.err
// SILENT-NOT: CUDA
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep device-used > %t.marks
// RUN: FileCheck %s < %t.marks
// Nothing of the driver's figure, which has 2 GiB of files, becomes a mark.
// RUN: not grep 'device-used 1 2\.' %t.marks
//
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
// STAT: {{^}}cuda:0 ({{.*}} of the machine) most used {{.*}} 480 MiB 64 MiB 416 MiB
// STAT: {{^}}cuda:0 most used 300 MiB 100 MiB 16 MiB
// STAT-NOT: see the alert in memdump
// STAT: {{^}}memory of the machine when available on the device resident rest
// STAT: {{^}}cuda:0 ({{.*}}) most used {{.*}} 480 MiB {{.*}}
// STAT: {{^}}cuda:0 has no memory of its own:
// What each row has is the size of the machine.
// RUN: memstat --format=json %t.fb > %t.json
// RUN: grep MemTotal /proc/meminfo > %t.total
// RUN: %python %S/Inputs/unified.py %t.json %t.total
//
// Without NVML nothing is said about the device: the driver's figure is none of it.
// RUN: env LD_LIBRARY_PATH=%t.none FAKECUDA_SHARES=2147483648 %{bytes} memrec -o %t.fb -- %t.exe 2> %t.err
// RUN: FileCheck %s --check-prefix=NONE < %t.err
// NONE: CUDA: memory of contexts and other processes is unknown: {{libnvidia-ml.so.1 was not found|NVML: }}
// NONE: CUDA: the used memory of a device that shares the machine's memory is unknown without NVML
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | not grep device-used
//
// One that does not know what the processes have.
// RUN: %cuda %{nvml} FAKENVML_NO_PIDS=1 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=PIDS
// PIDS: is unknown: NVML gives no bytes for the processes of a device that shares the machine's memory
// RUN: memdump %t.fb | not grep device-used
// RUN: %cuda %{nvml} FAKENVML_FAIL=nvmlDeviceGetComputeRunningProcesses_v3:6 memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: is unknown: NVML does not list the processes of a device that shares the machine's memory
//
// A device of its own whose figures NVML refuses is not taken for one that shares.
// RUN: %cuda env FAKECUDA_STATE=%t.state %{bytes} FAKENVML_FAIL=nvmlDeviceGetMemoryInfo:3,nvmlDeviceGetMemoryInfo_v2:3 memrec -o %t.fb -- %t.exe wait 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: is unknown: NVML: nvmlDeviceGetMemoryInfo: an error of the fake NVML
// RUN: memdump %t.fb | grep device-used | FileCheck %s --check-prefix=OWN-MARK
// OWN-MARK: device-used 1 480 MiB 8 GiB accounted 64 MiB contexts unknown modules 16 MiB others unknown own unknown{{$}}

#include "Inputs/check.h"
#include <unistd.h>

int main(int Argc, char **Argv) {
  CUdeviceptr P;
  CUmodule M;
  // Before and after the context is made. Another process draws with 100 MiB.
  // CHECK: device-used 1 100 MiB {{.*}} accounted 0 B contexts 0 B modules unknown others 100 MiB own 0 B available on the machine {{[0-9]}}
  // CHECK: device-used 1 400 MiB {{.*}} accounted 0 B contexts 300 MiB modules unknown others 100 MiB own 300 MiB available on the machine
  begin();
  CHECK(cuModuleLoadData(&M, ""));
  CHECK(cuMemAlloc(&P, 64 << 20));
  // CHECK: device-used 1 480 MiB {{.*}} accounted 64 MiB contexts 300 MiB modules unknown others 100 MiB own 380 MiB available on the machine
  // memrec looks once a second, or later on a busy machine.
  usleep(Argc > 1 ? 3300000 : 1300000);
  return 0;
}
