// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last operators of a forward pass.

#ifndef MEMKIT_LIB_RECORD_FORWARDOPERATORS_H
#define MEMKIT_LIB_RECORD_FORWARDOPERATORS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace memkit {

/// Nodes of autograd stem from operators, and other threads continue their
/// work. Belongs to the recorder's thread.
class ForwardOperators {
public:
  struct ForwardOperator {
    uint64_t Number = 0;
    uint32_t Chain = 0, Node = 0;
    uint32_t ScopePath = 0; ///< of its scope
    uint64_t Run = 0;       ///< the number of the innermost layer's scope
  };
  void add(const ForwardOperator &F) {
    if (Last.empty())
      Last.resize(NumKept);
    Last[F.Number % NumKept] = F;
  }
  /// Null: not known any more, or Number is 0.
  const ForwardOperator *find(uint64_t Number) const {
    if (Last.empty() || !Number)
      return nullptr;
    const ForwardOperator &F = Last[Number % NumKept];
    return F.Number == Number ? &F : nullptr;
  }
  /// Whether a node of autograd with the name Text, of the operator F, is the
  /// first of its layer's run in the pass: a run has a node for each operator,
  /// and more.
  bool isFirstOfRun(const ForwardOperator &F, uint32_t Text) {
    if (!F.Run)
      return true;
    if (FirstNodes.size() >= MaxRuns)
      FirstNodes.clear();
    std::pair<uint64_t, uint32_t> Node{F.Number, Text};
    auto [It, IsNew] = FirstNodes.try_emplace(F.Run, Node);
    return IsNew || It->second == Node;
  }

private:
  static constexpr size_t NumKept = 1 << 18, MaxRuns = 1 << 16;
  std::vector<ForwardOperator> Last; ///< by number
  /// By the number of a layer's run: the node of the backward pass that counted
  /// a call of it first, its forward operator and its text. The same node again
  /// is another pass over the graph.
  llvm::DenseMap<uint64_t, std::pair<uint64_t, uint32_t>> FirstNodes;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_FORWARDOPERATORS_H
