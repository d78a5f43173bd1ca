// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes that a thread has open.
//
// A framework's hooks open and close scopes of the calling thread. A framework
// has one stack for each thread; the numbers of scopes are unique in the
// process.

#ifndef MEMKIT_CAPTURE_RUNTIME_SCOPESTACK_H
#define MEMKIT_CAPTURE_RUNTIME_SCOPESTACK_H

#include "Thread.h"

namespace memkit::capture {

/// An open scope of a thread.
struct OpenScope {
  const void *Function;    ///< of the framework; null: a call of Python
  uint64_t Number;         ///< 0: not recorded
  uintptr_t Frame, Object; ///< of a call of Python: its frame, and the layer
};

/// Plain thread-local memory: all zeros at the start.
struct ScopeStack {
  OpenScope *Scopes; ///< null: no memory
  uint32_t Count;
  uint64_t NextNumber, EndNumber; ///< scope numbers of the thread

  static constexpr uint32_t MaxScopes = 1024;

  /// Takes memory at the first call; false: there is none.
  bool hasMemory() {
    return __builtin_expect(Scopes != nullptr, 1) || takeMemory();
  }
  void release();

  /// Opens a scope, if the stack has room, and records the scope if the ring
  /// has room. The memory must be there.
  void open(ThreadState &T, const OpenScope &S, uint32_t Text, uint64_t Flags,
            uint64_t Detail);
  /// Ends the scope \p First and the scopes inside.
  void closeFrom(ThreadState &T, uint32_t First);

private:
  bool takeMemory();
  uint64_t newNumber();
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_SCOPESTACK_H
