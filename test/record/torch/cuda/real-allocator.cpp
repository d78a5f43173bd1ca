// PyTorch's own allocator of CUDA memory, driven without a GPU: a runtime made here hands
// out addresses. docs/Gpu.md has what it prints.
//
// REQUIRES: cuda-allocator
// RUN: %S/Inputs/build-real %s %cuda_allocator %t
//
// RUN: %t/run memrec -v -o %t.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator
// SAID: out of memory
// SAID: snapshot: 1 segments, 1 traced
// SAID: PyTorch on CUDA: requests, streams and segments are recorded
//
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// CHECK: {{^}}cuda:0 4 3 26 MiB 2 MiB 1 24 MiB
// CHECK: torch.cuda:0.segments 4 3 26 MiB 2 MiB 1 24 MiB
// CHECK: torch.cuda:0 6 5 4.78 MiB 2 KiB 1 4.77 MiB
// RUN: memdump %t.fb | grep -E "cuda:0|snapshot" | grep -v "::" | FileCheck %s --check-prefix=EVENTS
// EVENTS: alloc #[[#A:]] 2 MiB torch.cuda:0.segments
// EVENTS-NEXT: alloc #[[#]] 1 KiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#A]]
// EVENTS-NEXT: alloc #[[#B:]] 20 MiB torch.cuda:0.segments
// EVENTS-NEXT: alloc #[[#]] 4.77 MiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#B]] requested 4.77 MiB
// EVENTS-NEXT: alloc #[[#]] 1 KiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#A]] requested 600 B
// EVENTS-NEXT: alloc #[[#]] 3 KiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#A]] requested 2.93 KiB
// EVENTS-NEXT: alloc #[[#C:]] 2 MiB torch.cuda:0.segments
// EVENTS-NEXT: alloc #[[#]] 1 KiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#C]] requested 700 B stream 1
// EVENTS-NEXT: alloc #[[#D:]] 2 MiB torch.cuda:0.segments
// EVENTS-NEXT: alloc #[[#]] 2 KiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#D]] requested 1.95 KiB
// EVENTS: heap-reserved torch.cuda:0 0 B 0 B
// EVENTS: oom torch.cuda:0 100 GiB 0 B 0 B 8 GiB
// EVENTS: user PyTorch memory snapshot
//
// Segments that expand.
// RUN: env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True %t/run memrec -v -o %t.e.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=EXPANDS
// EXPANDS: PyTorch on CUDA: requests, streams and segments are recorded
// RUN: memdump --check %t.e.fb
// RUN: memdump %t.e.fb | grep -E "cuda:0|resize" | grep -v "::" | FileCheck %s --check-prefix=EXPANDED
// EXPANDED: alloc #[[#A:]] 2 MiB torch.cuda:0.segments
// EXPANDED: alloc #[[#B:]] 20 MiB torch.cuda:0.segments
// EXPANDED-NEXT: alloc #[[#]] 4.77 MiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#B]] requested 4.77 MiB
// EXPANDED: alloc #[[#]] 2 KiB torch.cuda:0 at 0x{{[0-9a-f]+}} in #[[#]] requested 1.95 KiB
//
// The driver's pool in its stead.
// RUN: env PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync %t/run memrec -o %t.p.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=POOL
// POOL: CudaMallocAsyncAllocator
// POOL: PyTorch on CUDA: it uses cudaMallocAsync
// RUN: memdump --check %t.p.fb
// RUN: memdump --summary %t.p.fb | FileCheck %s --check-prefix=POOLED
// POOLED: torch.cuda:0 6 5 4.78 MiB 1.95 KiB 1
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cstdio>
#include <cxxabi.h>
#include <dlfcn.h>

using namespace c10::cuda::CUDACachingAllocator;

namespace c10::cuda::_internal {
C10_CUDA_API void setHasPrimaryContext(bool (*)(c10::DeviceIndex));
}
namespace c10::cuda::detail {
C10_CUDA_API void init_p2p_access_cache(int64_t);
}
extern "C" void fakeCudaBusy(int);

int main() {
  setlinebuf(stdout);
  CUDAAllocator *A = get();
  puts(abi::__cxa_demangle(typeid(*A).name(), nullptr, nullptr, nullptr));
  c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
  c10::cuda::detail::init_p2p_access_cache(2);
  A->init(2);
  bool IsNative = A->name() == "native";
  int Traced = 0;
  if (IsNative)
    A->attachAllocatorTraceTracker([&](const TraceEntry &E) {
      Traced += E.action_ == TraceEntry::SNAPSHOT && !Traced;
    });

  void *P = A->raw_alloc(1000), *Q = A->raw_alloc(5000000);
  A->raw_delete(P);
  void *R = A->raw_alloc(600);
  auto Stream = c10::cuda::getStreamFromPool(false, 0);
  {
    // Freed while another stream uses it.
    auto Data = static_cast<c10::Allocator *>(A)->allocate(3000);
    A->recordStream(Data, Stream);
    fakeCudaBusy(1);
  }
  fakeCudaBusy(0);
  void *S = A->raw_alloc_with_stream(700, Stream.stream());
  for (void *X : {Q, R, S})
    A->raw_delete(X);
  try {
    A->raw_alloc(size_t(100) << 30);
  } catch (const c10::OutOfMemoryError &) {
    puts("out of memory");
  }
  A->emptyCache();
  A->raw_alloc(2000);
  if (IsNative) {
    size_t Segments = A->snapshot().segments.size();
    printf("snapshot: %zu segments, %d traced\n", Segments, Traced);
  }
}
