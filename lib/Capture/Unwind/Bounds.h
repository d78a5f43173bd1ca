// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readable memory around a stack pointer.
//
// Asks the kernel page by page (ReadMemory.h).

#ifndef MEMKIT_CAPTURE_UNWIND_BOUNDS_H
#define MEMKIT_CAPTURE_UNWIND_BOUNDS_H

#include "Runtime/ReadMemory.h"

#include <cstdint>

namespace memkit::capture {

inline constexpr uintptr_t StackPage = 4096;

/// The first address after \p From (itself readable) whose page cannot be read;
/// at most \p Limit.
uintptr_t readableUpTo(uintptr_t From, uintptr_t Limit);

/// Can every page of [\p From, \p To) be read?
bool allReadable(uintptr_t From, uintptr_t To);

/// [Lo, Hi): all readable.
struct StackRange {
  uintptr_t Lo;
  uintptr_t Hi;
  bool has(uintptr_t Address) const { return Address - Lo < Hi - Lo; }
};

/// The calling thread's own stack, if \p Sp is on it: the stack from glibc,
/// which ends at the thread's control block, or the process's first stack,
/// which ends at \p StackEnd, the kernel's arguments (0: unknown). Lo is the
/// page of \p Sp: lower pages are checked when needed.
bool findOwnStack(uintptr_t Sp, uintptr_t StackEnd, StackRange &Own);

/// Extends \p Own down to \p Sp. False: \p Sp is on another stack.
bool growDown(uintptr_t Sp, StackRange &Own);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_BOUNDS_H
