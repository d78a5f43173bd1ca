// PyTorch's own allocator of CUDA memory on the tests' driver: its segments lie in what the driver
// gives, and what it cannot give is explained.
//
// REQUIRES: cuda-allocator
// RUN: %src_root/test/record/torch/cuda/Inputs/build-real %s %cuda_allocator %t %fake_cuda
// RUN: env FAKECUDA_BYTES=734003200 %t/run memrec -v -o %t.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: out of memory
// SAID: PyTorch on CUDA: requests, streams and segments are recorded
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memdump --map --at=oom %t.fb | FileCheck %s --check-prefix=MAP
//
// Of a device of 700 MiB one segment has 512, and the first of all 2: of its four quarters the first
// and third are free again when 256 MiB are asked for.
// MAP: cuda:0 (Fake GPU 0, 700 MiB) at oom,
// MAP-NEXT: 514 MiB held, 514 MiB of it in 2 segments: 258 MiB free in 3 holes, the largest has 128 MiB; fragmentation 50.2 %
// MAP-NEXT: 256 MiB requested, 258 MiB free in 3 holes, the largest has 128 MiB, {{[0-9.]+}} MiB on the device: fragmentation
// MAP-NEXT: requested from torch.cuda:0 by main (exe)
// MAP: 512 MiB #[[#]] torch.cuda:0.segments 50.0 % free
// MAP-NEXT: 128 MiB free
// MAP-NEXT: 128 MiB #[[#]] main (exe)
// MAP-NEXT: 128 MiB free
// MAP-NEXT: 128 MiB #[[#]] main (exe)
//
// Segments that expand are ranges of addresses: pages are mapped as they are wanted, 20 MiB at a
// time. The driver cannot give the tenth of 13 for the 256 MiB; the allocator then takes the pages
// back that lie free between, and has them after all.
// RUN: env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True FAKECUDA_BYTES=734003200 %t/run memrec -o %t.e.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=HAD
// HAD: memory mapping failed with OOM
// HAD-NOT: {{^}}out of memory
// RUN: memdump --check %t.e.fb
// RUN: memdump --map --at=oom %t.e.fb | FileCheck %s --check-prefix=EXPANDS
// EXPANDS: 682 MiB held, 522 MiB of it in 2 segments: 266 MiB free in 4 holes, the largest has 128 MiB; fragmentation 51.0 %; 160 MiB in 8 blocks outside
// EXPANDS-NEXT: 20 MiB requested, 266 MiB free in 4 holes, the largest has 128 MiB, at most 18 MiB on the device: the device is full
// EXPANDS-NEXT: requested from cuda:0.device by {{.*libc10_cuda.so|cuMemCreate}}
// EXPANDS: 520 MiB #[[#]] torch.cuda:0.segments expandable 50.8 % free
// EXPANDS: ? 20 MiB #[[#]] cuda:0.device {{.*}}
//
// With the driver's pools each tensor is a block of the pool.
// RUN: env PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync FAKECUDA_BYTES=734003200 %t/run memrec -o %t.p.fb -- %t/exe
// RUN: memdump --check %t.p.fb
// RUN: memdump --map %t.p.fb | FileCheck %s --check-prefix=POOL
// POOL: cuda:0 (Fake GPU 0, 700 MiB) at the peak of torch.cuda:0,
// POOL-NEXT: 512 MiB held; 512 MiB in 2 blocks
// POOL: 1000 B #[[#]] torch.cuda:0 exe main (exe)
// POOL-NEXT: 512 MiB #[[#]] torch.cuda:0 exe main (exe)
#include <c10/cuda/CUDACachingAllocator.h>
#include <cstdio>

using namespace c10::cuda::CUDACachingAllocator;

namespace c10::cuda::_internal {
C10_CUDA_API void setHasPrimaryContext(bool (*)(c10::DeviceIndex));
}
namespace c10::cuda::detail {
C10_CUDA_API void init_p2p_access_cache(int64_t);
}

int main() {
  setlinebuf(stdout);
  CUDAAllocator *A = get();
  c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
  c10::cuda::detail::init_p2p_access_cache(2);
  A->init(2);
  constexpr size_t MiB = 1 << 20;
  // CHECK: alloc #[[#D:]] 2 MiB cuda:0.device at
  // CHECK: alloc #[[#S:]] 2 MiB torch.cuda:0.segments at {{.*}} in #[[#D]]
  A->raw_delete(A->raw_alloc(1000));
  A->raw_alloc(1000);
  // CHECK: alloc #[[#D:]] 512 MiB cuda:0.device at
  // CHECK: alloc #[[#S:]] 512 MiB torch.cuda:0.segments at {{.*}} in #[[#D]]
  A->raw_delete(A->raw_alloc(512 * MiB));
  // CHECK: alloc #[[#]] 128 MiB torch.cuda:0 at {{.*}} in #[[#S]]
  void *Quarters[4];
  for (void *&P : Quarters)
    P = A->raw_alloc(128 * MiB);
  A->raw_delete(Quarters[0]);
  A->raw_delete(Quarters[2]);
  try {
    // CHECK: oom torch.cuda:0 256 MiB
    A->raw_alloc(256 * MiB);
  } catch (const c10::OutOfMemoryError &) {
    puts("out of memory");
  }
}
