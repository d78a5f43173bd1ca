// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes that the program, or the library for it, begins and ends.

#ifndef MEMKIT_CAPTURE_API_SCOPES_H
#define MEMKIT_CAPTURE_API_SCOPES_H

#include "Stacks/Stack.h"

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Flags: ScopeFlags >> 32. The scope's number; 0: nothing is recorded.
uint64_t beginScope(const char *Name, size_t Size, unsigned Flags,
                    const CallerFrame &Caller);
/// Does nothing for 0.
void endScope(uint64_t Number);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_API_SCOPES_H
