// Segments of PyTorch's caching allocator lie in the blocks that it has of the driver, and
// tensors in the segments: the device's total is the driver's, and nothing counts twice.
// The allocator is one made for the test (test/record/torch/cuda), which tells what
// the real one does; here its segments are the driver's.
//
// RUN: rm -rf %t && mkdir -p %t/torch/lib
// RUN: echo "__version__ = '2.13.0+cu130'" > %t/torch/version.py
// RUN: %cxx -shared -fPIC -DLIBC10 %src_root/test/record/torch/cuda/Inputs/fake-torch.cpp -o %t/torch/lib/libc10.so -Wl,-soname,libc10.so
// RUN: %cxx -shared -fPIC %src_root/test/record/torch/cuda/Inputs/fake-torch.cpp -o %t/torch/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so -L%t/torch/lib -lc10
// RUN: %cuda_cxx %s -o %t/exe %libcuda -ldl
// RUN: %cuda sh -c 'LD_LIBRARY_PATH=$LD_LIBRARY_PATH:"%t/torch/lib" exec env FAKECUDA_DEVICES=2 memrec -v -o "%t.fb" -- "%t/exe"' 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: PyTorch on CUDA: requests, streams and segments are recorded
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb > %t.txt
// RUN: grep -E "cuda:1|resize|free " %t.txt | grep -vE "heap-reserved|::" | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// 30 MiB are the driver's at the most: 22 of two segments, 8 of a workspace of a library;
// then 5 of a range that expands, and the workspace.
// HEAPS: {{^}}cuda:1 {{.*}} 0 B 0 30 MiB
// HEAPS: cuda:1.device {{.*}} 0 B 0 30 MiB
// HEAPS: torch.cuda:1.segments {{.*}} 0 B 0 22 MiB
// HEAPS: torch.cuda:1 4 4 8.77 MiB 0 B 0 4.77 MiB
// HEAPS-NOT: lost:
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON
// JSON: "name": "torch.cuda:1.segments",
// JSON-NEXT: "space": "cuda:1",
// JSON-NEXT: "parent": "cuda:1.device",
//
// At the tensors' peak 1000 and 5000000 bytes, rounded up by the allocator, lie at the begins of
// segments of 2 and 20 MiB; beside them the library's 8 MiB.
// RUN: memdump --map %t.fb | FileCheck %s --check-prefix=MAP
// MAP: cuda:1 ({{.*}}) at the peak of torch.cuda:1,
// MAP-NEXT: 30 MiB held, 22 MiB of it in 2 segments: 17.2 MiB free in 2 holes, the largest has 15.2 MiB; fragmentation 78.3 %; 8 MiB in 1 block outside
// MAP: {{^}}0x[[#%x,]] 2 MiB #[[#]] torch.cuda:1.segments 100.0 % free
// MAP-NEXT: 0x[[#%x,]] 1 KiB #[[#]] {{.*}}main (torch.cpp:[[#]])
// MAP-NEXT: 0x[[#%x,]] 2 MiB free
// MAP-NEXT: {{^}}0x[[#%x,]] 20 MiB #[[#]] torch.cuda:1.segments 76.2 % free
// MAP-NEXT: 0x[[#%x,]] 4.77 MiB #[[#]] {{.*}}main (torch.cpp:[[#]])
// MAP-NEXT: 0x[[#%x,]] 15.2 MiB free
// MAP-NEXT: {{^}}0x[[#%x,]] 8 MiB #[[#]] cuda:1.device exe {{.*}}main (torch.cpp:[[#]])

#include "Inputs/check.h"
#include <cstdint>
#include <dlfcn.h>

enum { SegmentAlloc = 3, SegmentFree, SegmentMap, SegmentUnmap };

int main() {
  CUcontext Context;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&Context, 1));
  CHECK(cuCtxSetCurrent(Context));
  void *Library = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return 1;
  auto Find = [&](const char *Name) { return dlsym(Library, Name); };
  auto *Segment = (void (*)(int, uintptr_t, size_t, uintptr_t))Find("segment");
  auto *Allocate = (void (*)(uintptr_t, size_t, uintptr_t, uint64_t))Find("allocate");
  auto *Release = (void (*)(uintptr_t, size_t, bool))Find("release");
  constexpr size_t MiB = 1 << 20;
  CUdeviceptr A, B, W, V;

  // CHECK: alloc #[[#W:]] 8 MiB cuda:1.device at 0x{{[0-9a-f]+}} stack
  CHECK(cuMemAlloc(&W, 8 * MiB));
  // CHECK-NEXT: alloc #[[#A:]] 2 MiB cuda:1.device at 0x{{[0-9a-f]+}} stack
  // CHECK-NEXT: alloc #[[#SA:]] 2 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} in #[[#A]] stack
  // CHECK-NEXT: alloc #[[#]] 1 KiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#SA]] stack
  CHECK(cuMemAlloc(&A, 2 * MiB));
  Segment(SegmentAlloc, A, 2 * MiB, 0);
  Allocate(A, 1000, 0, 0);
  // CHECK: alloc #[[#B:]] 20 MiB cuda:1.device at 0x{{[0-9a-f]+}} stack
  // CHECK-NEXT: alloc #[[#SB:]] 20 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} in #[[#B]] stack
  // CHECK-NEXT: alloc #[[#]] 4.77 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#SB]] requested 4.77 MiB stack
  CHECK(cuMemAlloc(&B, 20 * MiB));
  Segment(SegmentAlloc, B, 20 * MiB, 0);
  Allocate(B, 5000000, 0, 0);
  Release(A, 1000, false);
  Release(B, 5000000, false);
  // It says that it frees a segment before it does.
  // CHECK: free #[[#SA]]
  // CHECK-NEXT: free #[[#A]]
  Segment(SegmentFree, A, 2 * MiB, 0);
  CHECK(cuMemFree(A));
  Segment(SegmentFree, B, 20 * MiB, 0);
  CHECK(cuMemFree(B));

  // A range that expands; it is told after the driver has mapped and unmapped.
  CUmemAllocationProp Prop = {};
  Prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  CUmemGenericAllocationHandle First, Second;
  CHECK(cuMemAddressReserve(&V, 512 * MiB, 0, 0, 0));
  CHECK(cuMemCreate(&First, 2 * MiB, &Prop, 0));
  CHECK(cuMemMap(V, 2 * MiB, 0, First, 0));
  // CHECK: alloc #[[#]] 2 MiB cuda:1.device stack
  // CHECK: alloc #[[#R:]] 2 MiB cuda:1.device at 0x{{[0-9a-f]+}} stack
  // CHECK-NEXT: alloc #[[#E:]] 2 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} in #[[#R]] stack
  // CHECK-NEXT: alloc #[[#]] 1 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#E]] requested 1 MiB stack
  Segment(SegmentMap, V, 2 * MiB, 0);
  Allocate(V, MiB, 0, 0);
  CHECK(cuMemCreate(&Second, 4 * MiB, &Prop, 0));
  CHECK(cuMemMap(V + 2 * MiB, 4 * MiB, 0, Second, 0));
  // CHECK: resize #[[#R]] 6 MiB
  // CHECK-NEXT: resize #[[#E]] 6 MiB
  // CHECK-NEXT: alloc #[[#]] 3 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#E]] requested 3 MiB stack
  Segment(SegmentMap, V + 2 * MiB, 4 * MiB, 0);
  Allocate(V + MiB, 3 * MiB - 300, 0, 0);
  Release(V, MiB, false);
  Release(V + MiB, 3 * MiB - 300, false);
  // CHECK: resize #[[#E]] 2 MiB
  // CHECK-NEXT: resize #[[#R]] 2 MiB
  CHECK(cuMemUnmap(V + 2 * MiB, 4 * MiB));
  Segment(SegmentUnmap, V + 2 * MiB, 4 * MiB, 0);
  CHECK(cuMemUnmap(V, 2 * MiB));
  Segment(SegmentUnmap, V, 2 * MiB, 0);
  // CHECK: free #[[#E]]
  // CHECK-NEXT: free #[[#R]]
  CHECK(cuMemRelease(First));
  CHECK(cuMemRelease(Second));
  CHECK(cuMemAddressFree(V, 512 * MiB));
  CHECK(cuMemFree(W));
  return 0;
}
