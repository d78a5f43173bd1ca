// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooked functions themselves.
//
// The functions that the hooks stand before, and the arena for what is
// allocated while they are looked up or by the library itself.

#ifndef MEMKIT_CAPTURE_HOST_REAL_H
#define MEMKIT_CAPTURE_HOST_REAL_H

#include "Runtime/Hook.h"

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Never null: before the look-up each stands for one that does it.
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
  size_t (*UsableSize)(void *); ///< null: there is none, or no look-up yet
};
extern RealAllocator Real;

/// Memory for the library's own allocations. Never given back; what is freed in
/// it is forgotten.
extern char Arena[256 << 10];
inline bool isInArena(const void *P) {
  return uintptr_t(P) - uintptr_t(Arena) < sizeof(Arena);
}
/// Null: it is used up.
void *arenaAllocate(size_t Bytes, size_t Alignment = 16);
/// How many bytes were asked for.
size_t arenaSize(const void *P);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_REAL_H
