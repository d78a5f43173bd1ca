// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that a call instruction calls.
//
// Reads the code itself: "call rel32", through stubs of the linker.

#ifndef MEMKIT_CAPTURE_STACKS_CALLS_H
#define MEMKIT_CAPTURE_STACKS_CALLS_H

#include <cstdint>

namespace memkit::capture {

/// Did the call that returns to \p Return, in code of a binary, call a function
/// with unwind tables? False also if unknown: for calls by pointer. The code is
/// read once for each return address. Any thread, any signal handler.
bool callsCodeWithTables(uintptr_t Return);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_CALLS_H
