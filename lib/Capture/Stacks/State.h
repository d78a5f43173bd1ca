// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of stacks.
//
// The state of a process's code and stacks; fork wipes it.

#ifndef MEMKIT_CAPTURE_STACKS_STATE_H
#define MEMKIT_CAPTURE_STACKS_STATE_H

#include "Binaries.h"
#include "LoadedList.h"
#include "Runtime/Source.h"
#include "StackState.h"
#include "StackTable.h"
#include "Unwind/CodeMap.h"

namespace memkit::capture {

struct alignas(PageBytes) ProcessStacks {
  StackTable Table;
  CodeMap Codes;
  CodeMap Calls; ///< see callsCodeWithTables, which allocates the map
  Binaries Bins;
  LoadedList Loaded; ///< with an older glibc
  uint32_t Bits = 0; ///< wire::StackBits: the frames that a stack has
  /// Rises when code ids are forgotten.
  std::atomic<uint32_t> Generation{0};
  /// An interpreter is loaded and may have frames: see InterpreterFrames.h.
  std::atomic<bool> HasInterpreter{false};
  /// The interpreter has pending work of the library: events that are not
  /// recorded call pollInterpreter(), too.
  std::atomic<bool> HasPendingWork{false};
};
extern ProcessStacks Stacks;

/// The last walk of the calling thread.
extern __thread StackState ThisStack __attribute__((tls_model("initial-exec")));

extern const Source StackSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STATE_H
