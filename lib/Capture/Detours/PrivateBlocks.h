// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions to which the detours of private allocators lead.

#ifndef MEMKIT_CAPTURE_DETOURS_PRIVATEBLOCKS_H
#define MEMKIT_CAPTURE_DETOURS_PRIVATEBLOCKS_H

#include "Wire/Detours.h"

#include <atomic>
#include <cstdint>

namespace memkit::capture {

/// The heap of a private allocator. Lives as long as the program.
struct PrivateHeap {
  char Name[wire::DetourReply::NameBytes]; ///< ends with NUL
  /// The low half: the number of the name's text in the process with the epoch
  /// of the high half.
  std::atomic<uint64_t> Text;
};

/// A function with a detour: what its hook must know.
struct DetouredFunction {
  uintptr_t Original; ///< the way to the function
  PrivateHeap *Heap;
  wire::DetourCall Call;
};

/// The hook for functions of a task. A hook takes the function's arguments,
/// five at most, and in the register of a sixth the DetouredFunction.
uintptr_t hookOf(wire::DetourTask Task);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_PRIVATEBLOCKS_H
