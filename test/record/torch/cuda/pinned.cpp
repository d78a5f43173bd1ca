// PyTorch's own allocator of pinned memory (ATen/core/CachingHostAllocator.h), here with memory
// of malloc or mmap in place of CUDA's: the trace has what was requested and what was rounded up,
// a block that is taken again belongs to the line that takes it, and PyTorch's own sums are the
// trace's.
//
// REQUIRES: python, torch
// RUN: %python -c "import torch, os; p = os.path.dirname(torch.__file__); print('-isystem %%s/include -L%%s/lib -Wl,-rpath,%%s/lib' %% (p, p, p))" > %t.flags
// RUN: %cxx -std=c++20 -w -O1 -g %s -o %t.exe $(cat %t.flags) -ltorch_cpu -lc10
// RUN: memrec -q -o %t.fb --force -- %t.exe | FileCheck %s --check-prefix=OWN
// OWN: peak 6291968 held 6291968 active 6291968
// RUN: memdump --check %t.fb
// RUN: memdump --heap=torch.pinned %t.fb | grep thread | FileCheck %s
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// CHECK: alloc #[[#]] 4 MiB torch.pinned at 0x{{[0-9a-f]+}} in #[[#MALLOC:]] requested 2.86 MiB
// CHECK: alloc #[[#]] 512 B torch.pinned at 0x{{[0-9a-f]+}} in #[[#]] requested 400 B
// CHECK: alloc #[[#]] 2 MiB torch.pinned at 0x{{[0-9a-f]+}} in #[[#MAPPED:]] requested 1.91 MiB
// CHECK: free
// CHECK: alloc #[[#]] 4 MiB torch.pinned at 0x{{[0-9a-f]+}} in #[[#MALLOC]] requested 3.81 MiB
// CHECK-NOT: requested
// HEAPS: torch.pinned 4 1 10 MiB 6 MiB 3 6 MiB
#include <ATen/core/CachingHostAllocator.h>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace at::cuda {
namespace {
struct CUDACachingHostAllocatorImpl
    : public CachingHostAllocatorImpl<c10::Stream, std::unique_ptr<int>> {
  void allocate_host_memory(size_t Size, void **P) override {
    *P = Size == 2 << 20 ? mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                         : malloc(Size);
  }
  void free_block(HostBlock<c10::Stream> *B) override {}
  void record_stream(std::optional<std::vector<std::unique_ptr<int>>> &,
                     c10::Stream) override {}
  bool query_event(std::unique_ptr<int> &) override { return true; }
  c10::Stream get_current_stream() const override {
    return c10::Stream(c10::Stream::DEFAULT, c10::Device(c10::kCPU));
  }
  bool stream_is_capturing(c10::Stream) const override { return false; }
};
DECLARE_HOST_ALLOCATOR(CUDACachingHostAllocator, CUDACachingHostAllocatorImpl,
                       raw_local_deleter, caching_host_allocator);
REGISTER_HOST_ALLOCATOR(at::kCUDA, &caching_host_allocator)
} // namespace
} // namespace at::cuda

int main() {
  at::HostAllocator *A = at::getHostAllocator(at::kCUDA);
  at::DataPtr First = A->allocate(3'000'000);
  at::DataPtr Small = A->allocate(400);
  at::DataPtr Mapped = A->allocate(2'000'000);
  void *Was = First.get();
  First.clear();
  at::DataPtr Again = A->allocate(4'000'000);
  at::DataPtr None = A->allocate(0);
  if (Again.get() != Was || None.get())
    return 1;
  at::HostStats S = A->get_stats();
  printf("peak %ld held %ld active %ld\n", long(S.active_bytes.peak),
         long(S.allocated_bytes.current), long(S.active_bytes.current));
  fflush(stdout);
  _exit(0);
}
