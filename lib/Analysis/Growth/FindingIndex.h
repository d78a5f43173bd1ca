// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings that a block belongs to.

#ifndef MEMKIT_LIB_ANALYSIS_FINDINGINDEX_H
#define MEMKIT_LIB_ANALYSIS_FINDINGINDEX_H

#include "memkit/Analysis/LeakFinding.h"
#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class FindingIndex {
public:
  FindingIndex(const Trace &T, llvm::ArrayRef<LeakFinding> All)
      : T(T), Keys(nodeKeys(T, SameFrame::Location)) {
    for (uint32_t I = 0; I != All.size(); ++I) {
      const LeakFinding &F = All[I];
      if (F.Kind == FK_Exit)
        Exits.try_emplace({F.Heap, Keys[F.Node]}, I);
      else
        Nodes.try_emplace({F.Heap, F.Node}, I);
    }
  }

  /// Calls Do with the index of each finding of a block: at most one of kind
  /// exit, and one of another kind.
  template <class Fn>
  void forEachOf(uint32_t Heap, uint32_t Stack, Fn Do) const {
    uint32_t Node = T.view().leaf(Stack);
    if (auto At = Exits.find({Heap, Keys[Node]}); At != Exits.end())
      Do(At->second);
    for (; Node && !Nodes.empty(); Node = T.view().parent(Node))
      if (auto At = Nodes.find({Heap, Node}); At != Nodes.end())
        return Do(At->second);
  }

private:
  const Trace &T;
  std::vector<uint64_t> Keys; ///< by node
  /// Findings of kind exit by heap and key, all others by heap and node.
  llvm::DenseMap<std::pair<uint32_t, uint64_t>, uint32_t> Exits, Nodes;
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_FINDINGINDEX_H
