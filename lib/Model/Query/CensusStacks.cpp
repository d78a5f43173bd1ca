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

std::vector<CensusSum>
censusSums(const Trace &T, function_ref<bool(uint32_t Process)> Chooses) {
  std::vector<CensusSum> Out;
  if (!is_contained(T.header().Options, "attached=1"))
    return Out;
  CensusStacks Old(T);
  if (Old.empty())
    return Out;
  Out.resize(T.heaps().size() + 1);
  for (const PackedRows &Rows : T.stackRows()) {
    if (Chooses && !Chooses(Rows.process()))
      continue;
    for (size_t I = 0; I != Rows.size(); ++I) {
      const StackStats &R = Rows[I];
      if (!Old.livedBefore(R.Key))
        continue;
      for (uint32_t Heap : {0u, R.Heap}) {
        Out[Heap].Blocks += R.Allocations;
        Out[Heap].Bytes += R.AllocatedBytes;
      }
    }
  }
  return Out;
}

} // namespace memkit
