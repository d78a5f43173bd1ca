// Stream-ordered allocations: their stream and pool, what pools reserve, and what a
// graph allocates.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: %if !cuda-device %{ grep -E 'heap-reserved +cuda:0.pool' %t.txt | FileCheck %s --check-prefix=RESERVED %}
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// The graph's memory is addresses: none of the device's.
// HEAPS: events {{.*}} 0 lost
// HEAPS: {{^}}cuda:0 4 3 5.21 MiB 4 KiB 1 5 MiB
// HEAPS: cuda:0.pool 4 3 5.21 MiB 4 KiB 1 5 MiB
// HEAPS: cuda:0.graph 2 1 24 KiB 8 KiB 1 16 KiB

#include "Inputs/check.h"
#include <unistd.h>

// A pool is asked at most once a millisecond, on a clock of 4.
static void later(void) { usleep(10000); }

int main(void) {
  begin();
  CUdeviceptr A, B, C, D, G;
  CUstream S, T;
  CUmemoryPool Pool, Own;
  CUmemPoolProps Props = {0};
  Props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  Props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(cuStreamCreate(&S, CU_STREAM_NON_BLOCKING));
  CHECK(cuDeviceGetDefaultMemPool(&Pool, 0));

  // CHECK: alloc #[[#A:]] 1 MiB cuda:0.pool at 0x{{[0-9a-f]+}} stack
  // CHECK: cuMemAllocAsync{{$}}
  // CHECK-NEXT: main (pools.c:[[#@LINE+1]])
  CHECK(cuMemAllocAsync(&A, 1 << 20, NULL));
  later();
  // CHECK: alloc #[[#B:]] 4 MiB cuda:0.pool at 0x{{[0-9a-f]+}} stream 1 stack
  CHECK(cuMemAllocAsync(&B, 4 << 20, S));
  later();
  // CHECK: free #[[#B]]
  CHECK(cuMemFreeAsync(B, S));
  // Either function frees what the other gave out.
  // CHECK: free #[[#A]]
  CHECK(cuMemFree(A));
  later();
  CHECK(cuMemPoolTrimTo(Pool, 0));

  // CHECK: alloc #[[#C:]] 216 KiB cuda:0.pool at 0x{{[0-9a-f]+}} stream 1 pool 1 stack
  // CHECK: cuMemAllocFromPoolAsync{{$}}
  CHECK(cuMemPoolCreate(&Own, &Props));
  CHECK(cuMemAllocFromPoolAsync(&C, 216 << 10, Own, S));
  // CHECK: free #[[#C]]
  CHECK(cuMemFreeAsync(C, S));
  CHECK(cuMemPoolDestroy(Own));
  // CHECK: alloc #[[#]] 4 KiB cuda:0.pool at 0x{{[0-9a-f]+}} stack
  CHECK(cuMemAllocAsync(&D, 4096, NULL));

  // What is captured is the graph's, and the driver is asked nothing meanwhile.
  CUgraph Graph;
  CHECK(cuStreamCreate(&T, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBeginCapture(T, CU_STREAM_CAPTURE_MODE_GLOBAL));
  later();
  // CHECK: alloc #[[#G:]] 16 KiB cuda:0.graph at 0x{{[0-9a-f]+}} stream 2 stack
  CHECK(cuMemAllocAsync(&G, 16384, T));
  // CHECK: free #[[#G]]
  CHECK(cuMemFreeAsync(G, T));
  CHECK(cuStreamEndCapture(T, &Graph));
  CUDA_MEM_ALLOC_NODE_PARAMS Node = {0};
  CUgraphNode N;
  Node.poolProps = Props;
  Node.bytesize = 8192;
  CHECK(cuGraphCreate(&Graph, 0));
  // CHECK: alloc #[[#]] 8 KiB cuda:0.graph at 0x{{[0-9a-f]+}} stack
  // CHECK: cuGraphAddMemAllocNode{{$}}
  CHECK(cuGraphAddMemAllocNode(&N, Graph, NULL, 0, &Node));
  return 0;
}

// Reserved, and of it given out: pages of 2 MiB. The driver is asked before and after the
// trim, which gives all back; then the
// pool of the program's own, which ends.
// RESERVED: 2 MiB 1 MiB
// RESERVED-NEXT: 6 MiB 5 MiB
// RESERVED-NEXT: 6 MiB 1 MiB
// RESERVED-NEXT: 6 MiB 0 B
// RESERVED-NEXT: 0 B 0 B trimmed 6 MiB
// RESERVED-NEXT: 2 MiB 216 KiB
// RESERVED-NEXT: 0 B 0 B
