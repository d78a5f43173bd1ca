// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a hook was called from.

#ifndef MEMKIT_CAPTURE_UNWIND_FRAME_H
#define MEMKIT_CAPTURE_UNWIND_FRAME_H

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

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_FRAME_H
