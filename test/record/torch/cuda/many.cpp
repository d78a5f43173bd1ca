// Many tensors in segments that come and go: snapshots and summaries have what a replay of
// the events gives.
//
// RUN: rm -rf %t && mkdir -p %t/torch/lib
// RUN: echo "__version__ = '2.13.0'" > %t/torch/version.py
// RUN: c++ -shared -fPIC -DLIBC10 %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10.so -Wl,-soname,libc10.so
// RUN: c++ -shared -fPIC %S/Inputs/fake-torch.cpp -o %t/torch/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so -L%t/torch/lib -lc10
// RUN: c++ -O1 %s -o %t/exe -ldl
// RUN: env LD_LIBRARY_PATH=%t/torch/lib memrec -o %t.fb -- %t/exe 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: , 0 lost,
// RUN: memdump --check %t.fb | FileCheck %s
// CHECK: {{[1-9][0-9]*}} snapshots
//
// 12 segments of 32 MiB, 29 of them given back once and taken again.
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: torch.cuda:1.segments 41 29 1.28 GiB 384 MiB 12 384 MiB
// SUMMARY: reserved by
// SUMMARY-NEXT: torch.cuda:1 384 MiB {{.*}} 384 MiB {{[0-9.]+}} %
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

enum { SegmentAlloc = 3, SegmentFree, SegmentMap, SegmentUnmap };
constexpr uintptr_t Base = 0x700000000000, MiB = 1 << 20;
constexpr int Segments = 12, Blocks = 64;
static bool IsLive[Segments][Blocks];

// Every third one expands.
static int take(int S) { return S % 3 == 2 ? SegmentMap : SegmentAlloc; }
static int giveBack(int S) { return S % 3 == 2 ? SegmentUnmap : SegmentFree; }
static uintptr_t at(int S, int B) {
  return Base + (S * 64 + B / 2) * MiB + B % 2 * 4096;
}

int main() {
  void *Library = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return 1;
  auto Find = [&](const char *Name) { return dlsym(Library, Name); };
  auto *Segment = (void (*)(int, uintptr_t, size_t, uintptr_t))Find("segment");
  auto *Allocate =
      (void (*)(uintptr_t, size_t, uintptr_t, uint64_t))Find("allocate");
  auto *Release = (void (*)(uintptr_t, size_t, bool))Find("release");
  auto *Completed = (void (*)(uintptr_t, size_t))Find("completed");
  for (int S = 0; S != Segments; ++S) {
    Segment(take(S), at(S, 0), 32 * MiB, 0);
    Allocate(at(S, 0), 512, 0, 0);
    IsLive[S][0] = true;
  }
  srand(1);
  for (int I = 1; I != 600000; ++I) {
    int S = rand() % Segments, B = rand() % Blocks;
    uintptr_t P = at(S, B);
    bool InUse = rand() % 8 == 0;
    if (!IsLive[S][B])
      Allocate(P, 1 + rand() % 512, rand() % 4 * 0x100, rand() % 3);
    else
      Release(P, 512, InUse);
    if (IsLive[S][B] && InUse)
      Completed(P, 512);
    IsLive[S][B] = !IsLive[S][B];
    if (I % 20000 != 0)
      continue;
    S = rand() % (Segments - 1) + 1;
    for (B = 0; B != Blocks; ++B) {
      if (IsLive[S][B])
        Release(at(S, B), 512, false);
      IsLive[S][B] = false;
    }
    Segment(giveBack(S), at(S, 0), 32 * MiB, 0);
    Segment(take(S), at(S, 0), 32 * MiB, 0);
  }
}
