// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks.
//
// From a walk of the stack to a node of the shared tree.

#ifndef MEMKIT_CAPTURE_RUNTIME_STACK_H
#define MEMKIT_CAPTURE_RUNTIME_STACK_H

#include "Thread.h"
#include "Unwind/Frame.h"

namespace memkit::capture {

/// The node of the calling thread's stack from \p Caller outwards; 0: the tree
/// has no room for any of it. In a signal handler that interrupted a hook: of
/// the caller alone.
uint32_t stackNode(Thread &T, const Frame &Caller);

/// Of the calling thread's Python frames alone, which are in \c T.Python then;
/// 0: it has none that can be looked at, and what \c T.Python says is old.
uint32_t pythonStackNode(Thread &T, const Frame &Caller);

/// Nothing that the thread knows of its last walk is good any more.
void resetStackState(Thread &T);

/// Gives back what the thread holds for it.
void releaseStackState(Thread &T);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_STACK_H
