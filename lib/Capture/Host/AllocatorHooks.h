// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of the functions that only some allocators have.
//
// jemalloc's mallocx, tcmalloc's tc_*, mimalloc's mi_*, C23's sized frees. A
// program may test for such a function, by a weak reference or dlsym, to find
// out which allocator it has. So this library does not export these names:
// AllocatorBinding.h binds the calls of the program to the hooks where a loaded
// library has the functions.

#ifndef MEMKIT_CAPTURE_HOST_ALLOCATORHOOKS_H
#define MEMKIT_CAPTURE_HOST_ALLOCATORHOOKS_H

#include <cstddef>

namespace memkit::capture {

struct AllocatorHook {
  const char *Name;
  void *Hook;
  void **Real; ///< null until set; the hook calls it
};

/// The hook of a function; null: it has none. Any thread.
const AllocatorHook *allocatorHookOf(const char *Name);

/// Calls F(const AllocatorHook &) for each hook.
void forAllocatorHooks(void (*F)(const AllocatorHook &, void *), void *With);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_ALLOCATORHOOKS_H
