// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leads the calls of a program that runs already to the hooks, and past them
// again.
//
// The loader has bound the program's words to libc's functions. A word is set
// by one store, so the program's threads run meanwhile, and see either
// function.

#ifndef MEMKIT_CAPTURE_HOST_LATEBINDING_H
#define MEMKIT_CAPTURE_HOST_LATEBINDING_H

#include <cstdint>
#include <link.h>

namespace memkit::capture {

struct BoundCounts {
  uint32_t Binaries = 0, Words = 0;
};

/// Finds the hooks and the functions behind them. One thread; takes the
/// loader's lock.
void findLateHooks();

/// Leads the calls of all loaded binaries to the hooks. After findLateHooks();
/// any thread. Holds the lock of the loader's list, so no binary goes
/// meanwhile. False: no turn.
bool bindLate(BoundCounts &Counts);

/// As bindLate() for \p First and what was loaded after it.
bool bindLateFrom(const link_map *First);

/// Leads all calls past the hooks again.
bool unbindLate(BoundCounts &Counts);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_LATEBINDING_H
