// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooked functions themselves.
//
// Also the arena, for allocations during the look-up of the functions and for
// allocations of the library itself.

#ifndef MEMKIT_CAPTURE_HOST_REAL_H
#define MEMKIT_CAPTURE_HOST_REAL_H

#include "Runtime/Hook.h"

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Until the look-up, each pointer is a function that makes the look-up. Never
/// null, except UsableSize.
struct RealAllocator {
  void *(*Malloc)(size_t);
  void *(*Calloc)(size_t, size_t);
  void *(*Realloc)(void *, size_t);
  void (*Free)(void *);
  int (*PosixMemalign)(void **, size_t, size_t);
  void *(*AlignedAlloc)(size_t, size_t);
  void *(*Memalign)(size_t, size_t);
  void *(*Valloc)(size_t);
  void *(*Pvalloc)(size_t);
  size_t (*UsableSize)(void *); ///< null: not found, or not looked up yet
};
extern RealAllocator Real;

using ReallocArrayFn = void *(void *, size_t, size_t);
/// The C library's reallocarray, if the executable defines malloc: it calls the
/// executable's realloc, which alone can move the block. Null: this library's
/// realloc is the program's.
ReallocArrayFn *otherReallocArray();
/// Finds Real before the first hook runs. Takes the loader's lock.
void findAllocator();

/// Memory for the library's own allocations. Never released; a free of a block
/// in the arena does nothing.
extern char Arena[256 << 10];
inline bool isInArena(const void *P) {
  return uintptr_t(P) - uintptr_t(Arena) < sizeof(Arena);
}
/// Null: no room.
void *arenaAllocate(size_t Bytes, size_t Alignment = 16);
/// The requested size of a block.
size_t arenaSize(const void *P);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_REAL_H
