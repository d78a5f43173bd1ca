// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks.
//
// Maps a walk of the stack to a node of the shared tree.

#ifndef MEMKIT_CAPTURE_STACKS_STACK_H
#define MEMKIT_CAPTURE_STACKS_STACK_H

#include "Runtime/Hook.h"
#include "Runtime/Thread.h"

namespace memkit::capture {

/// The node of the calling thread's stack from \p Caller outwards; 0: the tree
/// is full. In a signal handler that interrupted a hook: the node of the caller
/// alone.
uint32_t stackNode(ThreadState &T, const CallerFrame &Caller);

/// Called by events that are not recorded, while Stacks.HasPendingWork.
void pollInterpreter(const ThreadState &T);

/// The node of the calling thread's interpreter frames alone; the interpreter's
/// folder then keeps the frames. 0: no readable frames, and the kept frames are
/// outdated.
uint32_t interpreterNode(ThreadState &T, const CallerFrame &Caller);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STACK_H
