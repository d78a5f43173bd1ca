// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of blocks that lived in a program before its recording.
//
// A census enters such blocks while the program runs, some thousand at a time:
// this is no growth.

#ifndef MEMKIT_LIB_MODEL_CENSUSSTACKS_H
#define MEMKIT_LIB_MODEL_CENSUSSTACKS_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace memkit {

/// Those of one trace, as it is now.
class CensusStacks {
public:
  explicit CensusStacks(const Trace &T);

  bool empty() const { return Nodes.empty(); }
  /// \p Stack: its number in the trace.
  bool livedBefore(uint32_t Stack) const {
    uint32_t Node = empty() ? 0 : T.leaf(Stack);
    return Node && Node < Nodes.size() && Nodes[Node];
  }

private:
  const Trace &T;
  llvm::BitVector Nodes; ///< empty: there are none
};

/// What a census entered as allocations of a heap.
struct CensusSum {
  uint64_t Blocks = 0, Bytes = 0;
};

/// By heap, 0: all; empty: the trace is of no program that memrec attached to,
/// or has no census. These blocks are no allocations of the recorded time.
/// Chooses: the processes that count; null: all.
std::vector<CensusSum>
censusSums(const Trace &T,
           llvm::function_ref<bool(uint32_t Process)> Chooses = nullptr);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_CENSUSSTACKS_H
