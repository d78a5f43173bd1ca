// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes of the tests of GoogleTest.

#ifndef MEMKIT_CAPTURE_DETOURS_TESTSCOPES_H
#define MEMKIT_CAPTURE_DETOURS_TESTSCOPES_H

#include "Stacks/Stack.h"

#include <cstdint>

namespace memkit::capture {

/// Begins a scope with the name of a test, `Suite.Name`. \p Test: the address
/// of a testing::TestInfo. The scope's number for endTest(); 0: nothing is
/// recorded, or the name cannot be read.
uint64_t beginTest(uintptr_t Test, const CallerFrame &Caller);
void endTest(uint64_t Scope);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_TESTSCOPES_H
