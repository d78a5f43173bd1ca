// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks.
//
// From a walk of the stack to a node of the shared tree.

#ifndef MEMKIT_CAPTURE_STACKS_STACK_H
#define MEMKIT_CAPTURE_STACKS_STACK_H

#include "Runtime/Hook.h"
#include "Runtime/Thread.h"

namespace memkit::capture {

/// The node of the calling thread's stack from \p Caller outwards; 0: the tree
/// has no room for any of it. In a signal handler that interrupted a hook: of
/// the caller alone.
uint32_t stackNode(Thread &T, const Frame &Caller);

/// Of the calling thread's interpreter frames alone, which the interpreter's
/// folder keeps then; 0: there are none that can be looked at, and what is kept
/// is old.
uint32_t interpreterNode(Thread &T, const Frame &Caller);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STACK_H
