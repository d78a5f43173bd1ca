// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of the malloc family.
//
// A free is recorded before it happens, an allocation before its hook returns.
//
// A sampling run passes over most blocks, in a fast path without a stack frame.
// For other blocks a hook jumps to a function of the slow path, which finds the
// same caller.

#include "Calls.h"
#include "Real.h"
#include "Stacks/Codes.h"

#include <cerrno>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// Is this an allocation of the library itself, for the arena? A program that
/// ran before frees what the loader keeps of it (dlerror's state of a thread)
/// past the hooks when memrec has left.
static inline bool isOwn() {
  return __builtin_expect(ThisThread.QuietBits != 0, 0) && !Kept.IsLate;
}

/// Records the result of a function that calls no other hooked function.
static inline void recordResult(void *P, size_t Size, AllocFunction F,
                                const CallerFrame &Caller) {
  if (__builtin_expect(!P, 0))
    recordRefusal(Size, F, Caller);
  else
    recordAllocation(P, Size, F, Caller);
}

/// The slow path of a hook.
#define MEMKIT_LONG_WAY static __attribute__((noinline))

MEMKIT_LONG_WAY void *mallocRecorded(size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (isOwn())
    if (void *P = arenaAllocate(Size))
      return P;
  void *P = Real.Malloc(Size);
  recordResult(P, Size, AllocFunction::Malloc, Caller);
  return P;
}

MEMKIT_EXPORT void *malloc(size_t Size) {
  return passOver(Size) ? Real.Malloc(Size) : mallocRecorded(Size);
}

MEMKIT_LONG_WAY void *callocRecorded(size_t Count, size_t Each) {
  CallerFrame Caller = MEMKIT_CALLER;
  size_t Size;
  bool Overflow = __builtin_mul_overflow(Count, Each, &Size);
  if (isOwn() && !Overflow)
    if (void *P = arenaAllocate(Size))
      return P; // The arena's memory is zero and is used once.
  return recordCall([&] { return Real.Calloc(Count, Each); }, Size,
                    AllocFunction::Calloc, Caller);
}

MEMKIT_EXPORT void *calloc(size_t Count, size_t Each) {
  size_t Size;
  if (__builtin_mul_overflow(Count, Each, &Size) || !liesAfter(Size))
    return callocRecorded(Count, Each);
  ThisThread.LastAllocation = 0;
  void *P = Real.Calloc(Count, Each);
  // Otherwise Real.Calloc has called memkit's malloc, which has counted and
  // decided.
  if (ThisThread.LastAllocation == 0)
    passOver(Size);
  return P;
}

static inline bool isLoader(uintptr_t Pc) {
  return Pc - Loader.Start < Loader.Bytes;
}

MEMKIT_LONG_WAY void freeRecorded(void *P) {
  if (!P || isInArena(P))
    return;
  if (__builtin_expect(isLoader(uintptr_t(__builtin_return_address(0))), 0))
    noteLoaderFree(P);
  if (!isTooSmall(P))
    recordFree(P);
  Real.Free(P);
}

MEMKIT_EXPORT void free(void *P) {
  if (isPassedOver(P) &&
      !isLoaderSampling(uintptr_t(__builtin_return_address(0))))
    return Real.Free(P);
  freeRecorded(P);
}

/// Moves a block of the arena to the allocator. Blocks of the arena have no
/// record.
static void *leaveArena(void *P, size_t Size, AllocFunction F,
                        const CallerFrame &Caller) {
  bool Own = isOwn();
  void *New = Own ? arenaAllocate(Size) : nullptr;
  if (!New) {
    New = Real.Malloc(Size);
    recordResult(New, Size, F, Caller);
  }
  size_t Old = arenaSize(P);
  return New ? memcpy(New, P, Old < Size ? Old : Size) : nullptr;
}

/// The allocator may call malloc and free, through memkit's hooks: InRealloc
/// stops them from recording.
static inline void *realRealloc(void *P, size_t Size) {
  bool Outer = ThisThread.InRealloc;
  ThisThread.InRealloc = true;
  void *New = Real.Realloc(P, Size);
  ThisThread.InRealloc = Outer;
  return New;
}

/// For a size of 0 glibc frees the block and returns null; other allocators
/// return a new block. Either way the free of the old block is recorded before
/// the call.
static void *reallocToNothing(void *P, AllocFunction F,
                              const CallerFrame &Caller) {
  recordFree(P);
  void *New = realRealloc(P, 0);
  if (New)
    recordAllocation(New, 0, F, Caller);
  return New;
}

static void *reallocate(void *P, size_t Size, AllocFunction F,
                        const CallerFrame &Caller) {
  if (isInArena(P))
    return leaveArena(P, Size, F, Caller);
  if (!P) {
    if (isOwn())
      if (void *New = arenaAllocate(Size))
        return New;
    void *New = realRealloc(nullptr, Size);
    recordResult(New, Size, F, Caller);
    return New;
  }
  if (Size == 0)
    return reallocToNothing(P, F, Caller);
  return recordResize(P, [&] { return realRealloc(P, Size); }, Size, F, Caller);
}

MEMKIT_LONG_WAY void *reallocRecorded(void *P, size_t Size) {
  return reallocate(P, Size, AllocFunction::Realloc, MEMKIT_CALLER);
}

MEMKIT_EXPORT void *realloc(void *P, size_t Size) {
  if (P && Size && isPassedOver(P) && passOver(Size))
    return realRealloc(P, Size);
  return reallocRecorded(P, Size);
}

MEMKIT_EXPORT void *reallocarray(void *P, size_t Count, size_t Each) {
  size_t Size;
  if (__builtin_mul_overflow(Count, Each, &Size)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (ReallocArrayFn *Other = otherReallocArray())
    return Other(P, Count, Each);
  return reallocate(P, Size, AllocFunction::ReallocArray, MEMKIT_CALLER);
}

MEMKIT_EXPORT int posix_memalign(void **To, size_t Alignment, size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  ThisThread.LastAllocation = 0;
  int Error = Real.PosixMemalign(To, Alignment, Size);
  if (Error == 0)
    ThisThread.LastAligned = uintptr_t(*To);
  if (Error == 0 && *To && !isDecided(*To))
    recordAllocation(*To, Size, AllocFunction::PosixMemalign, Caller);
  if (__builtin_expect(Error == ENOMEM, 0))
    recordFailure(Size, AllocFunction::PosixMemalign, Caller);
  return Error;
}

MEMKIT_EXPORT void *aligned_alloc(size_t Alignment, size_t Size) {
  return recordCall([&] { return Real.AlignedAlloc(Alignment, Size); }, Size,
                    AllocFunction::AlignedAlloc, MEMKIT_CALLER);
}

MEMKIT_EXPORT void *memalign(size_t Alignment, size_t Size) {
  return recordCall([&] { return Real.Memalign(Alignment, Size); }, Size,
                    AllocFunction::Memalign, MEMKIT_CALLER);
}

MEMKIT_EXPORT void *valloc(size_t Size) {
  return recordCall([&] { return Real.Valloc(Size); }, Size,
                    AllocFunction::Valloc, MEMKIT_CALLER);
}

MEMKIT_EXPORT void *pvalloc(size_t Size) {
  return recordCall([&] { return Real.Pvalloc(Size); }, Size,
                    AllocFunction::Pvalloc, MEMKIT_CALLER);
}
