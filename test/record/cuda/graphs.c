// Memory of graphs. Its blocks are addresses for as long as the graph lives, outside the
// totals, whether they were captured or added; what graphs have of the device, and the most
// that it was, the driver says where the program waits, uploads, allocates or trims:
// launches are not heard of.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep heap-reserved %t.txt | FileCheck %s --check-prefix=RESERVED --match-full-lines
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// What is freed a second time, after a launch that nobody told of, is no loss.
// HEAPS: events {{.*}} 0 lost
// HEAPS: cuda:0.graph 3 3 10 MiB 0 B

#include "Inputs/check.h"
#include <unistd.h>

enum { MiB = 1 << 20 };

// The driver is asked at most once a millisecond, on a clock of 4.
static void later(void) { usleep(10000); }

static CUgraphExec ready(CUgraph G) {
  CUgraphExec E;
  CHECK(cuGraphInstantiate(&E, G, 0));
  return E;
}

int main(void) {
  begin();
  CUstream S;
  CUgraph G, H;
  CUdeviceptr P, Q, R;
  CUgraphNode N;
  CUDA_MEM_ALLOC_NODE_PARAMS Params = {0};
  CUgraphNodeParams Any = {0};
  Params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  Params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(cuStreamCreate(&S, CU_STREAM_NON_BLOCKING));

  // CHECK: alloc #[[#P:]] 5 MiB cuda:0.graph at 0x{{[0-9a-f]+}} stream 1 stack
  // CHECK: cuMemAllocAsync{{$}}
  // CHECK: free #[[#P]]
  CHECK(cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuMemAllocAsync(&P, 5 * MiB, S));
  CHECK(cuMemFreeAsync(P, S));
  CHECK(cuStreamEndCapture(S, &G));
  CUgraphExec First = ready(G);
  // RESERVED: {{.*}} cuda:0.graph 6 MiB 0 B
  CHECK(cuGraphUpload(First, S));
  later();
  // 5 MiB were used meanwhile.
  CHECK(cuGraphLaunch(First, S));
  // RESERVED-NEXT: {{.*}} cuda:0.graph 6 MiB 5 MiB
  // RESERVED-NEXT: {{.*}} cuda:0.graph 6 MiB 0 B
  CHECK(cuStreamSynchronize(S));

  // CHECK: alloc #[[#Q:]] 3 MiB cuda:0.graph at 0x{{[0-9a-f]+}} stack
  // CHECK: cuGraphAddMemAllocNode{{$}}
  CHECK(cuGraphCreate(&H, 0));
  Params.bytesize = 3 * MiB;
  CHECK(cuGraphAddMemAllocNode(&N, H, NULL, 0, &Params));
  Q = Params.dptr;
  // CHECK: alloc #[[#R:]] 2 MiB cuda:0.graph at 0x{{[0-9a-f]+}} stack
  // CHECK: cuGraphAddNode{{$}}
  // CHECK: free #[[#R]]
  Any.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  Any.alloc.poolProps = Params.poolProps;
  Any.alloc.bytesize = 2 * MiB;
  CHECK(cuGraphAddNode(&N, H, NULL, NULL, 0, &Any));
  R = Any.alloc.dptr;
  Any.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  Any.free.dptr = R;
  CHECK(cuGraphAddNode(&N, H, NULL, NULL, 0, &Any));
  CUgraphExec Second = ready(H);
  later();
  CHECK(cuGraphLaunch(Second, S));
  // 3 MiB are not freed by the graph.
  // RESERVED-NEXT: {{.*}} cuda:0.graph 6 MiB 3 MiB
  CHECK(cuCtxSynchronize());
  // CHECK: free #[[#Q]]
  // CHECK-NOT: free #[[#Q]]
  CHECK(cuMemFreeAsync(Q, S));
  CHECK(cuGraphLaunch(Second, S));
  CHECK(cuMemFree(Q));
  // Nothing is asked while a graph is captured.
  CHECK(cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_RELAXED));
  later();
  CHECK(cuCtxSynchronize());
  CHECK(cuStreamEndCapture(S, &G));
  // Both launches used 5 MiB at most. What was kept is given back.
  // RESERVED-NEXT: {{.*}} cuda:0.graph 6 MiB 0 B
  // RESERVED-NEXT: {{.*}} cuda:0.graph 0 B 0 B
  CHECK(cuDeviceGraphMemTrim(0));
  return 0;
}
// RESERVED-NOT: {{.}}
