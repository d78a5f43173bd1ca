// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of blocks that lived in a program before its recording.

#include "CensusStacks.h"
#include "memkit/Trace/CensusNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

CensusStacks::CensusStacks(const Trace &T) : T(T) {
  if (!is_contained(T.header().Options, "census=1"))
    return;
  Nodes.resize(T.numNodes() + 1);
  // A parent's number is lower.
  for (uint32_t Node = 1; Node <= T.numNodes(); ++Node)
    Nodes[Node] =
        T.parent(Node)
            ? Nodes[T.parent(Node)]
            : T.unfolded(T.frameOf(Node)).front().Function == LivedBefore;
}

} // namespace memkit
