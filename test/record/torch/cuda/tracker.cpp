// What CUDA's caching allocator of PyTorch tells a trace tracker: here one that is made
// for the test and calls as the real one (real-allocator.cpp) does.
//
// On a busy machine a section may end between two lines.
// ALLOW_RETRIES: 2
//
// RUN: rm -rf %t && mkdir -p %t/torch/lib
// RUN: echo "__version__ = '2.13.0+cu130'" > %t/torch/version.py
// RUN: c++ -shared -fPIC -DLIBC10 %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10.so -Wl,-soname,libc10.so
// RUN: c++ -shared -fPIC %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so -L%t/torch/lib -lc10
// RUN: c++ %s -o %t/exe -ldl
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -v -o %t.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: PyTorch on CUDA: requests, streams and segments are recorded
//
// A tensor lies in a segment, so that the device's total is what is reserved: at the most
// 24 MiB of three segments, and then 5 MiB of one that expands.
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// CHECK: {{^}}cuda:1 {{ *}}4 4 29 MiB 0 B 0 24 MiB
// CHECK: torch.cuda:1.segments 4 4 29 MiB 0 B 0 24 MiB
// CHECK: torch.cuda:1 5 5 8.77 MiB 0 B 0 4.77 MiB
//
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON
// JSON: "name": "torch.cuda:1.segments",
// JSON-NEXT: "space": "cuda:1",
// JSON-NEXT: "parent": null,
// JSON: "name": "torch.cuda:1",
// JSON-NEXT: "space": "cuda:1",
// JSON-NEXT: "parent": "torch.cuda:1.segments",
//
// What is reserved: of 24 MiB at the peak 5002240 bytes are live; when the second segment
// came, 1024 of 2 MiB.
// JSON: "reserved_peak_bytes": 25165824,
// JSON: "reserved_bytes": 0,
// JSON-NEXT: "fragmentation_ppm": null,
// JSON-NEXT: "fragmentation_at_peak_ppm": 801229,
// JSON-NEXT: "fragmentation_at_growth_ppm": 999512
// RESERVED: reserved by now free at the peak free at most free at most
// RESERVED-NEXT: torch.cuda:1 0 B 24 MiB 80.1 % 24 MiB 100.0 %
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=RESERVED
//
// The first tensor is there before the tracker is attached, so that it is not known what was
// requested; streams and pools are numbered. The last lies in a segment that has grown.
// RUN: memdump %t.fb | grep -E "cuda:1|resize|snapshot" | grep -v "::" | FileCheck %s --check-prefix=EVENTS
// EVENTS: alloc #[[#A:]] 2 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} stack
// EVENTS-NEXT: alloc #[[#]] 1 KiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#A]] stack
// EVENTS-NEXT: alloc #[[#B:]] 20 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} stack
// EVENTS-NEXT: alloc #[[#]] 4.77 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#B]] requested 4.77 MiB stack
// EVENTS-NEXT: alloc #[[#C:]] 2 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} stream 1 pool 1 stack
// EVENTS-NEXT: alloc #[[#]] 1 KiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#C]] requested 600 B stream 1 pool 1 stack
// EVENTS-NEXT: alloc #[[#E:]] 2 MiB torch.cuda:1.segments at 0x{{[0-9a-f]+}} stack
// EVENTS-NEXT: alloc #[[#]] 1 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#E]] requested 1 MiB stack
// EVENTS-NEXT: resize #[[#E]] 5 MiB
// EVENTS-NEXT: alloc #[[#]] 3 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} in #[[#E]] requested 3 MiB stack
// EVENTS-NEXT: resize #[[#E]] 3 MiB
//
// Reserved and active: what is freed and used by a stream is active until that is done.
// EVENTS-NEXT: heap-reserved torch.cuda:1 2 MiB 0 B
// EVENTS-NEXT: heap-reserved torch.cuda:1 22 MiB 1 KiB
// EVENTS-NEXT: heap-reserved torch.cuda:1 24 MiB 4.77 MiB
// EVENTS-NEXT: heap-reserved torch.cuda:1 22 MiB 4.77 MiB
// EVENTS-NEXT: oom torch.cuda:1 1 TiB 1 KiB 22 MiB 1 GiB stack
// EVENTS-NEXT: user PyTorch memory snapshot
// EVENTS-NEXT: heap-reserved torch.cuda:1 2 MiB 1 KiB
// EVENTS-NEXT: heap-reserved torch.cuda:1 0 B 0 B
// EVENTS-NEXT: heap-reserved torch.cuda:1 2 MiB 0 B
// EVENTS-NEXT: heap-reserved torch.cuda:1 5 MiB 1 MiB
// EVENTS-NEXT: heap-reserved torch.cuda:1 3 MiB 0 B
// EVENTS-NEXT: heap-reserved torch.cuda:1 0 B 0 B
//
// When memory could not be had C's 1024 bytes lived, and the segments of 20 and 2 MiB.
// RUN: memdump --map --at=oom %t.fb | FileCheck %s --check-prefix=MAP
// MAP: cuda:1 at oom
// MAP-NEXT: 22 MiB held, 22 MiB of it in 2 segments: 22 MiB free in 2 holes, the largest has 20 MiB
// MAP: 20 MiB #[[#]] torch.cuda:1.segments all free
// MAP: 2 MiB #[[#]] torch.cuda:1.segments stream 1 pool 1 100.0 % free
// MAP-NEXT: 1 KiB #[[#]] requested 600 B
//
// As text and back.
// RUN: memdump --format=asm %t.fb -o %t.mas && grep -q "requested=600.* stream=1 pool=1" %t.mas
// RUN: memas %t.mas -o %t.again.fb && memdump --format=asm %t.again.fb | diff %t.mas -
//
// What of a segment is free at the end is no leak, the tensor in it is one.
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -q -o %t.leak.fb -- %t/exe leak
// RUN: memleak --heap='torch.*' %t.leak.fb | FileCheck %s --check-prefix=LEAK
// LEAK-NOT: segments
//
// Nothing is attached to what is not known, and tensors are recorded all the same.
// RUN: echo "__version__ = '2.99.0'" > %t/torch/version.py
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -o %t.none.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=TENSORS
// VERSION: warning: {{.*}}PyTorch on CUDA: requests, streams and segments are not recorded: memkit does not know this version
// TENSORS-NOT: segments
// TENSORS: torch.cuda:1 5 5 8.77 MiB
//
// RUN: echo "__version__ = '2.13.0'" > %t/torch/version.py
// RUN: c++ -shared -fPIC -DEXTRA %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so -L%t/torch/lib -lc10
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -o %t.none.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=TENSORS
// LAYOUT: PyTorch on CUDA: requests, streams and segments are not recorded: its allocator differs from its version's
//
// RUN: c++ -shared -fPIC -DNAME=OtherAllocator %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so -L%t/torch/lib -lc10
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -o %t.none.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=TENSORS
// OTHER: PyTorch on CUDA: requests, streams and segments are not recorded: its allocator was replaced by another
//
// What the tracker is told is not what libc10 reports: it is used no more.
// RUN: c++ -shared -fPIC -DODD %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so -L%t/torch/lib -lc10
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -o %t.odd.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: memdump --check %t.odd.fb
// RUN: memdump --summary %t.odd.fb | FileCheck %s --check-prefix=ODD
// ODD: torch.cuda:1.segments 1 1 2 MiB 0 B
// ODD: torch.cuda:1 5 5 8.77 MiB
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

enum { SegmentAlloc = 3, SegmentFree, SegmentMap, SegmentUnmap };

int main(int argc, char **) {
  void *Library = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return 1;
  auto Find = [&](const char *Name) { return dlsym(Library, Name); };
  auto *Segment = (void (*)(int, uintptr_t, size_t, uintptr_t))Find("segment");
  auto *Allocate =
      (void (*)(uintptr_t, size_t, uintptr_t, uint64_t))Find("allocate");
  auto *Release = (void (*)(uintptr_t, size_t, bool))Find("release");
  auto *Completed = (void (*)(uintptr_t, size_t))Find("completed");
  auto *OutOfMemory = (void (*)(size_t, uint64_t))Find("outOfMemory");
  auto *Snapshot = (void (*)())Find("snapshot");
  constexpr size_t MiB = 1 << 20;
  constexpr uintptr_t A = 0x700000000000, B = A + 2 * MiB, C = B + 20 * MiB;
  constexpr uintptr_t E = 0x710000000000;

  // Three segments, a block in each. The second is freed while a stream uses it.
  Segment(SegmentAlloc, A, 2 * MiB, 0);
  Allocate(A, 1000, 0, 0);
  if (argc > 1)
    return 0;
  Segment(SegmentAlloc, B, 20 * MiB, 0);
  Allocate(B, 5000000, 0, 0);
  Segment(SegmentAlloc, C, 2 * MiB, 0x5000);
  Allocate(C, 600, 0x5000, 1);
  Release(A, 1000, false);
  Release(B, 5000000, true);
  Segment(SegmentFree, A, 2 * MiB, 0);
  Completed(B, 5000000);
  OutOfMemory(uint64_t(1) << 40, 1 << 30);
  Snapshot();
  Segment(SegmentFree, B, 20 * MiB, 0);
  Release(C, 600, false);
  Segment(SegmentFree, C, 2 * MiB, 0x5000);

  // One that expands, and is given back in parts. The second block is of both.
  Segment(SegmentMap, E, 2 * MiB, 0);
  Allocate(E, MiB, 0, 0);
  Segment(SegmentMap, E + 2 * MiB, 3 * MiB, 0);
  Allocate(E + MiB, 3 * MiB - 300, 0, 0);
  Release(E, MiB, false);
  Release(E + MiB, 3 * MiB - 300, false);
  Segment(SegmentUnmap, E, 2 * MiB, 0);
  Segment(SegmentUnmap, E + 2 * MiB, 3 * MiB, 0);
}
