// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of whole calls.
//
// For functions that may call another hooked function: a block that an inner
// hook has recorded, or passed over, is not recorded again.

#ifndef MEMKIT_CAPTURE_HOST_CALLS_H
#define MEMKIT_CAPTURE_HOST_CALLS_H

#include "Blocks.h"
#include "Failures.h"

#include <cerrno>

namespace memkit::capture {

/// Called after a function has returned null for \p Size. A size of 0 may have
/// that result, and a function may refuse its arguments (EINVAL).
inline void recordRefusal(size_t Size, AllocFunction F,
                          const CallerFrame &Caller) {
  if (Size && errno == ENOMEM)
    recordFailure(Size, F, Caller);
}

/// Records the block that \p Call returns.
template <typename Fn>
inline void *recordCall(Fn Call, size_t Size, AllocFunction F,
                        const CallerFrame &Caller) {
  ThisThread.LastAllocation = 0;
  void *P = Call();
  if (__builtin_expect(!P, 0))
    recordRefusal(Size, F, Caller);
  else if (!isDecided(P))
    recordAllocation(P, Size, F, Caller);
  return P;
}

/// As recordCall(), for a block in place of \p P; after null \p P stays.
template <typename Fn>
inline void *recordResize(void *P, Fn Call, size_t Size, AllocFunction F,
                          const CallerFrame &Caller) {
  if (!P)
    return recordCall(Call, Size, F, Caller);
  bool Begun = recordReallocBegin(P);
  void *New = Call();
  if (Begun)
    recordReallocEnd(P, New, Size, F, Caller);
  else if (New)
    recordAllocation(New, Size, F, Caller);
  if (__builtin_expect(!New, 0))
    recordRefusal(Size, F, Caller);
  return New;
}

/// Called before \p P, which may be null, is freed.
inline void recordRelease(void *P) {
  if (P && !isTooSmall(P))
    recordFree(P);
}

/// Count * Each; the largest size if there is no such size.
inline size_t sizeOf(size_t Count, size_t Each) {
  size_t Size;
  return __builtin_mul_overflow(Count, Each, &Size) ? SIZE_MAX : Size;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_CALLS_H
