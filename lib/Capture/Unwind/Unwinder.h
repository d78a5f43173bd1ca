//===- Unwinder.h - Walking the stack ---------------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the calling thread's stack. What stands behind it may be replaced; no
// type of any unwinding library shows here.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_CAPTURE_UNWIND_UNWINDER_H
#define MEMKIT_CAPTURE_UNWIND_UNWINDER_H

#include <cstdint>

namespace memkit::capture {

/// Where a hook was called from.
struct Frame {
  uintptr_t Pc; ///< its return address
  uintptr_t Sp; ///< the caller's stack pointer after the call
  uintptr_t Fp; ///< the caller's rbp
};

/// The frame that called the function in which this stands.
#define MEMKIT_CALLER                                                          \
  (::memkit::capture::Frame{                                                   \
      reinterpret_cast<uintptr_t>(__builtin_return_address(0)),                \
      reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()),                      \
      *static_cast<uintptr_t *>(__builtin_frame_address(0))})

/// Makes ready; from the library's constructor, once. What it allocates is not
/// recorded.
void prepareUnwinder();

/// Return addresses from \p Caller outwards, innermost first and \p Caller's
/// among them, without frames of this library. Returns how many, at least 1.
/// \p Cut: there may be more than there was room for. Never sets errno.
unsigned unwind(uintptr_t *Pcs, unsigned Max, const Frame &Caller, bool &Cut);

/// Code has been unmapped: what is remembered of it is not good any more.
void forgetCode();

/// Does \p Pc lie in code that the unwinder runs (allocations from there are
/// its own)?
bool isUnwindersCode(uintptr_t Pc);

/// Does \p Pc lie in this library?
bool isOwnCode(uintptr_t Pc);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_UNWINDER_H
