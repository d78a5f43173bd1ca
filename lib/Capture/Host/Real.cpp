// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooked functions themselves.

#include "Real.h"

#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Stacks/Binaries.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

alignas(4096) char capture::Arena[256 << 10];

namespace {
struct ArenaHeader {
  size_t Bytes;
  size_t Pad;
};
} // namespace

void *capture::arenaAllocate(size_t Bytes, size_t Alignment) {
  static std::atomic<size_t> Used;
  if (Alignment < 16)
    Alignment = 16;
  if (Bytes > sizeof(Arena) || Alignment > PageBytes)
    return nullptr;
  size_t Old = Used.load(std::memory_order_relaxed), At;
  do {
    At = (Old + sizeof(ArenaHeader) + Alignment - 1) & ~(Alignment - 1);
    if (At + Bytes > sizeof(Arena))
      return nullptr;
  } while (
      !Used.compare_exchange_weak(Old, At + Bytes, std::memory_order_relaxed));
  // The next header must not lie in this block, nor this header in the previous
  // block.
  reinterpret_cast<ArenaHeader *>(Arena + At)[-1].Bytes = Bytes;
  return Arena + At;
}

size_t capture::arenaSize(const void *P) {
  return static_cast<const ArenaHeader *>(P)[-1].Bytes;
}

//===----------------------------------------------------------------------===//
// The look-up, at the first call of any hook
//===----------------------------------------------------------------------===//

template <typename Fn> static void find(Fn *&To, const char *Name) {
  if (void *P = nextSymbol(Name))
    To = reinterpret_cast<Fn *>(P);
}

/// The arena serves allocations during the look-up. Concurrent threads find the
/// same functions.
static void findAll() {
  RealAllocator Found = Real;
  find(Found.Malloc, "malloc");
  find(Found.Calloc, "calloc");
  find(Found.Realloc, "realloc");
  find(Found.Free, "free");
  find(Found.PosixMemalign, "posix_memalign");
  find(Found.AlignedAlloc, "aligned_alloc");
  find(Found.Memalign, "memalign");
  find(Found.Valloc, "valloc");
  find(Found.Pvalloc, "pvalloc");
  find(Found.UsableSize, "malloc_usable_size");
  Real = Found;
}

static bool isLookingUp() { return ThisThread.QuietBits; }

static void *firstMalloc(size_t N) {
  if (isLookingUp())
    return arenaAllocate(N);
  findAll();
  return Real.Malloc(N);
}
static void *firstCalloc(size_t N, size_t Each) {
  if (isLookingUp())
    return arenaAllocate(N * Each);
  findAll();
  return Real.Calloc(N, Each);
}
static void *firstRealloc(void *P, size_t N) {
  if (isLookingUp())
    return nullptr;
  findAll();
  return Real.Realloc(P, N);
}
static void firstFree(void *P) {
  if (isLookingUp())
    return;
  findAll();
  Real.Free(P);
}
static int firstPosixMemalign(void **To, size_t Alignment, size_t N) {
  findAll();
  return Real.PosixMemalign(To, Alignment, N);
}
static void *firstAlignedAlloc(size_t Alignment, size_t N) {
  findAll();
  return Real.AlignedAlloc(Alignment, N);
}
static void *firstMemalign(size_t Alignment, size_t N) {
  findAll();
  return Real.Memalign(Alignment, N);
}
static void *firstValloc(size_t N) {
  findAll();
  return Real.Valloc(N);
}
static void *firstPvalloc(size_t N) {
  findAll();
  return Real.Pvalloc(N);
}

void capture::findAllocator() { findAll(); }

ReallocArrayFn *capture::otherReallocArray() {
  static std::atomic<ReallocArrayFn *> Other;
  static std::atomic<bool> IsKnown;
  if (!IsKnown.load(std::memory_order_acquire)) {
    // Before glibc 2.26 there is none. In a program that ran before, calls lead
    // to the hook only where the executable defines no malloc.
    if (!Kept.IsLate && !isOwnCode(uintptr_t(globalSymbol("realloc"))))
      Other.store(
          reinterpret_cast<ReallocArrayFn *>(nextSymbol("reallocarray")),
          std::memory_order_relaxed);
    IsKnown.store(true, std::memory_order_release);
  }
  return Other.load(std::memory_order_relaxed);
}

RealAllocator capture::Real = {firstMalloc,        firstCalloc,
                               firstRealloc,       firstFree,
                               firstPosixMemalign, firstAlignedAlloc,
                               firstMemalign,      firstValloc,
                               firstPvalloc,       nullptr};
