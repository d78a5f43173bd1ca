// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a stack can be read.
//
// Which addresses around a stack pointer can be read, asked of the kernel page
// by page: rt_sigprocmask with an operation that does not exist reads its
// argument before it looks at the operation, answers EFAULT or EINVAL, and
// changes nothing. 0.2 µs a page on the machine of docs/Capture.md.

#ifndef MEMKIT_CAPTURE_UNWIND_BOUNDS_H
#define MEMKIT_CAPTURE_UNWIND_BOUNDS_H

#include <cstdint>

namespace memkit::capture {

inline constexpr uintptr_t StackPage = 4096;

/// Can the 8 bytes at \p Address (a multiple of 8) be read?
bool isReadable(uintptr_t Address);

/// The first address from \p From (readable itself) on whose page cannot be
/// read, or \p Limit if that comes first.
uintptr_t readableUpTo(uintptr_t From, uintptr_t Limit);

/// Can every page of [\p From, \p To) be read?
bool allReadable(uintptr_t From, uintptr_t To);

/// [Lo, Hi): all of it can be read.
struct StackRange {
  uintptr_t Lo;
  uintptr_t Hi;
  bool has(uintptr_t Address) const { return Address - Lo < Hi - Lo; }
};

/// The calling thread's own stack, if \p Sp lies on it: what glibc made for it
/// (its end is where the thread's control block lies) or the process's first
/// one
/// (\p StackEnd, where the kernel has put the arguments; 0: not known). Lo is
/// the page of \p Sp: what lies below is asked for when it is needed.
bool findOwnStack(uintptr_t Sp, uintptr_t StackEnd, StackRange &Own);

/// \p Own has grown down to \p Sp, or that is another stack: false.
bool growDown(uintptr_t Sp, StackRange &Own);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_BOUNDS_H
