// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooked functions.
//
// What each function that stands before one of the program's needs: its symbol,
// and the frame of its caller.

#ifndef MEMKIT_CAPTURE_RUNTIME_HOOK_H
#define MEMKIT_CAPTURE_RUNTIME_HOOK_H

#include <cstdint>

/// A symbol of the library; all others are hidden.
#define MEMKIT_EXPORT extern "C" __attribute__((visibility("default")))

namespace memkit::capture {

/// Where a hook was called from.
struct Frame {
  uintptr_t Pc; ///< its return address
  uintptr_t Sp; ///< the caller's stack pointer after the call
  uintptr_t Fp; ///< the caller's rbp
};

/// The frame that called the function in which the macro stands.
#define MEMKIT_CALLER                                                          \
  (::memkit::capture::Frame{                                                   \
      reinterpret_cast<uintptr_t>(__builtin_return_address(0)),                \
      reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()),                      \
      *static_cast<uintptr_t *>(__builtin_frame_address(0))})

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_HOOK_H
