// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tools for hooked functions.
//
// The symbol of a hook, and the frame of its caller.

#ifndef MEMKIT_CAPTURE_RUNTIME_HOOK_H
#define MEMKIT_CAPTURE_RUNTIME_HOOK_H

#include <cstdint>

/// An exported symbol of the library; other symbols are hidden.
#define MEMKIT_EXPORT extern "C" __attribute__((visibility("default")))

namespace memkit::capture {

/// The caller of a hook.
struct CallerFrame {
  uintptr_t Pc; ///< the hook's return address
  uintptr_t Sp; ///< the caller's stack pointer after the call
  uintptr_t Fp; ///< the caller's rbp
};

/// The frame of the caller of the function with the macro.
#define MEMKIT_CALLER                                                          \
  (::memkit::capture::CallerFrame{                                             \
      reinterpret_cast<uintptr_t>(__builtin_return_address(0)),                \
      reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()),                      \
      *static_cast<uintptr_t *>(__builtin_frame_address(0))})

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_HOOK_H
