// The time of a device's work, on request: by scope, stream, kernel and line; copies and memsets
// with their bytes; a graph as one piece of work.
//
// RUN: %cuda_cc -I%src_root/include %s -o %t.exe %libcuda
// RUN: %cuda memrec --cuda=time -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: CUDA: the time of kernels and copies is recorded through CUPTI's activity records
// SAID-NOT: missing
// RUN: memdump --check %t.fb
// RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=SCOPES
//
// Scopes that contain each other both have the time; kernels 5 ms + 3 ms, copies 1 ms and 0.5 ms.
// SCOPES: device_ns
// SCOPES-DAG: {{^}}inner,{{.*}},scope,3000000,
// SCOPES-DAG: {{^}}outer,{{.*}},scope,9500000,
//
// RUN: memdump --kernels %t.fb | FileCheck %s --check-prefix=TEXT
// RUN: memdump --kernels --format=json %t.fb > %t.json
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// TEXT: kernels, copies and memsets of devices
// TEXT: scale(float*, int) cuda:0 2 8 ms 4 ms 5 ms
// TEXT: graph 1 cuda:0 3 6 ms 2 ms 2 ms
// TEXT: copy to device cuda:0 1 1 ms 1 ms 1 ms
// TEXT: copy to host cuda:0 1 500 us 500 us 500 us
// TEXT: memset cuda:0 1 100 us 100 us 100 us
// TEXT: by line
// TEXT: time.c:[[#]] work
// TEXT: by stream
// TEXT: stream 8 cuda:0 6 9.6 ms
// TEXT: stream 7 cuda:0 2 6 ms
//
// JSON: "kind": "kernel"
// JSON: "name": "scale(float*, int)"
//
// A timeline has a track for each stream.
// RUN: memflame --format=perfetto -o %t.perfetto %t.fb
// RUN: grep -ac "cuda:0 stream 7" %t.perfetto
// RUN: grep -ac "scale(float" %t.perfetto
// RUN: memflame --format=firefox -o %t.firefox %t.fb
// RUN: grep -c "copy to host (cuda:0 stream 8)" %t.firefox
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=HEADER
// HEADER: cuda=time
//
// What a program has waited for is there although a signal kills the program.
// RUN: %cuda memrec -q --cuda=time -o %t.killed.fb -- %t.exe kill || true
// RUN: memdump -q --kernels %t.killed.fb | FileCheck %s --check-prefix=KILLED
// KILLED: scale(float*, int) cuda:0 2 8 ms 4 ms 5 ms
//
// Records come late and in any order, from another thread, beside records of other kinds: the
// sums are the same.
// RUN: %cuda env FAKECUPTI_LATE=1 FAKECUPTI_THREAD=1 FAKECUPTI_STRANGE=1 FAKECUPTI_BUFFER=600 memrec -q --cuda=time -o %t.late.fb -- %t.exe
// RUN: memdump --check %t.late.fb
// RUN: memdump --kernels %t.fb > %t.txt
// RUN: memdump --kernels %t.late.fb > %t.late.txt
// RUN: diff %t.txt %t.late.txt
// RUN: memdump --summary %t.late.fb | FileCheck %s --check-prefix=NONELOST
// NONELOST: events {{.*}} 0 lost
// NONELOST-NOT: device-work
//
// Kernels that the runtime launches have the correlation id of the driver's call or of the runtime's:
// both are known. Once the two are found to be equal, CUPTI is not asked for the runtime any more.
// RUN: %cuda env FAKECUPTI_RUNTIME=own FAKECUPTI_LOG=1 memrec --cuda=time -o %t.own.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: fakecupti: wants of the runtime 211
// OWN-NOT: wants no more of the runtime 211
// RUN: memdump --kernels %t.own.fb > %t.own.txt
// RUN: diff %t.txt %t.own.txt
// RUN: %cuda env FAKECUPTI_RUNTIME=same FAKECUPTI_LOG=1 memrec --cuda=time -o %t.same.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: fakecupti: wants of the runtime 211
// SAME: fakecupti: wants no more of the runtime 211
// RUN: memdump --kernels %t.same.fb > %t.same.txt
// RUN: diff %t.txt %t.same.txt
//
// What CUPTI drops, and what is cut off, is counted.
// RUN: %cuda env FAKECUPTI_DROP=3 memrec --cuda=time -o %t.drop.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=DROP
// RUN: memdump %t.drop.fb | FileCheck %s --check-prefix=LOST
// DROP: 2 pieces of work of devices are missing
// LOST: loss {{.*}}device-work
// RUN: %cuda env FAKECUPTI_CUT=1 memrec --cuda=time -o %t.cut.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: 1 piece of work of devices is missing
//
// Without the option no kind of record is enabled, and CUPTI tells of no launch.
// RUN: %cuda env FAKECUPTI_LOG=1 memrec -o %t.off.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not='fakecupti: activity' --implicit-check-not='of the runtime'
// OFF: fakecupti: wants
// RUN: memdump --kernels %t.off.fb 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: no work of devices: memrec --cuda=time records it
// RUN: %cuda env FAKECUPTI_LOG=1 memrec --cuda=time -o %t.on.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=ON
// ON-DAG: fakecupti: activity 10{{$}}
// ON-DAG: fakecupti: activity 1{{$}}
// ON-DAG: fakecupti: activity 2{{$}}
// ON-DAG: fakecupti: activity 22{{$}}
// ON-DAG: fakecupti: activity 51{{$}}
//
// Where it cannot be recorded, memrec says why; memory is recorded all the same.
// RUN: %cuda env FAKECUPTI_VERSION=140000 memrec --cuda=time -o %t.new.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=NEW
// NEW: CUDA: the time of kernels and copies is not recorded: the layout of records of CUPTI's version 140000 is not known
// RUN: %cuda env FAKECUPTI_VERSION=12 memrec --cuda=time -o %t.new.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=TOOOLD
// TOOOLD: is not recorded: the layout of records of CUPTI's version 12 is not known
// RUN: %cuda env FAKECUPTI_VERSION=18 memrec --cuda=time -v -o %t.11.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: memdump --summary %t.new.fb | FileCheck %s --check-prefix=MEMORY
// MEMORY: cuda:0.device 1 0 4 KiB
// RUN: %cuda env FAKECUPTI_NO_KIND=10 memrec --cuda=time -o %t.no.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: CUDA: the time of kernels and copies is not recorded: CUPTI refused, error
// RUN: %cuda env FAKECUPTI_TAKEN=nsys memrec --cuda=time -o %t.taken.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: CUDA: the time of kernels and copies is not recorded: CUPTI does not report the launches to memrec
// An older CUPTI has no records of graphs.
// RUN: %cuda env FAKECUPTI_NO_KIND=51 memrec --cuda=time -o %t.old.fb -- %t.exe
// RUN: memdump --kernels %t.old.fb | FileCheck %s --check-prefix=OLD --implicit-check-not=graph
// OLD: scale(float*, int) cuda:0 2 8 ms

#include "Inputs/check.h"
#include <memkit/memkit.h>
#include <signal.h>

static CUfunction F;

__attribute__((noinline)) static void work(CUstream S, unsigned Us) {
  CHECK(cuLaunchKernel(F, Us, 1, 1, 1, 1, 1, 0, S, NULL, NULL));
}

int main(int Argc, char **Argv) {
  begin();
  CUmodule M;
  CUstream S;
  CUdeviceptr P;
  CUgraph G;
  CUgraphExec E;
  static char Host[1000000];
  CHECK(cuModuleLoadData(&M, Host));
  CHECK(cuModuleGetFunction(&F, M, "_Z5scalePfi"));
  CHECK(cuStreamCreate(&S, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemAlloc(&P, 4096));
  uint64_t Outer = memkit_scope_begin("outer");
  work(NULL, 5000);
  CHECK(cuMemcpyHtoD(P, Host, 1000000));
  CHECK(cuMemcpyDtoHAsync(Host, P, 500000, S));
  uint64_t Inner = memkit_scope_begin("inner");
  work(S, 3000);
  memkit_scope_end(Inner);
  memkit_scope_end(Outer);
  CHECK(cuMemsetD8Async(P, 0, 100000, S));
  CHECK(cuGraphCreate(&G, 0));
  CHECK(cuGraphInstantiate(&E, G, 0));
  for (int I = 0; I != 3; ++I)
    CHECK(cuGraphLaunch(E, S));
  CHECK(cuStreamSynchronize(S));
  if (Argc > 1)
    raise(SIGKILL);
  return 0;
}
