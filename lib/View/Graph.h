// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trees in which the page draws profiles.

#ifndef MEMKIT_LIB_VIEW_GRAPH_H
#define MEMKIT_LIB_VIEW_GRAPH_H

#include "Export/FlameTree.h"
#include "Export/NodeRanks.h"
#include "Model/Query/FrameOwners.h"
#include "Model/Query/StackGroups.h"
#include "Model/Trace/OwnCode.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Places.h"

namespace memkit {

/// The texts of lines of the user's code.
class SourceTexts {
public:
  explicit SourceTexts(const Places &Of);
  llvm::StringRef find(llvm::StringRef File, uint32_t Line) const {
    return Texts.lookup({File, Line});
  }

private:
  llvm::DenseMap<std::pair<llvm::StringRef, uint32_t>, llvm::StringRef> Texts;
};

/// The line in `train.py:46 Block.forward`; 0: none.
uint32_t lineIn(llvm::StringRef Text, llvm::StringRef File);

/// How a graph groups stacks.
struct GraphSpec {
  GroupBy By = GroupBy::Stack;
  bool Invert = false;
  bool operator==(const GraphSpec &) const = default;
};

/// `own`, `library`, `import`, `group`. The page has the same numbers.
llvm::StringRef ownerWord(CodeOwner O);
CodeOwner ownerOfPlace(PlaceKind K);

/// A tree for all profiles of a trace, made once for each GraphSpec. Takes time
/// in proportion to the stacks of the trace. The trace, the stats and the
/// places must outlive the graph.
class Graph {
public:
  Graph(const SelectedStats &S, const Places &Where, GraphSpec Spec,
        std::unique_ptr<StackGroups> Groups);
  /// Fails if the trace has nothing to group by.
  static llvm::Expected<std::unique_ptr<Graph>>
  create(const SelectedStats &S, const Places &Where, GraphSpec Spec);

  const GraphSpec &spec() const { return Spec; }
  /// Whether keys are scope paths, not stacks.
  bool isOfScopes() const { return memkit::isOfScopes(Spec.By); }
  /// Whether keys are of single blocks: only keyOf(LivePart) knows them.
  bool isOfBlocks() const { return Spec.By == GroupBy::Category; }
  /// The key of the blocks of a heap, stack and scope path; not if
  /// isOfBlocks().
  uint32_t keyOf(uint32_t Heap, uint32_t Stack, uint32_t ScopePath);
  /// The key of a block.
  uint32_t keyOf(const LivePart &B);
  size_t numKeys() const { return Tree->view().Leaves.size(); }

  /// The largest nodes of P, in preorder.
  std::vector<FlameNode> build(const Profile &P, size_t MaxNodes);
  llvm::ArrayRef<FlameNames::FlameName> names() const { return Names->names(); }
  const ShownTree &tree() const { return *Tree; }
  /// The number of the name of a frame of tree().allShown().
  uint32_t nameOf(uint32_t ShownIndex) { return Names->find(ShownIndex); }
  CodeOwner ownerOf(const FlameNames::FlameName &N) const;

private:
  void shape(const SelectedStats &S, const Places &Where);

  GraphSpec Spec;
  const Trace &T;
  std::unique_ptr<StackGroups> Groups; ///< by heap, library or category
  ScopeView Base, Shaped;
  std::optional<ShownTree> Tree;
  std::optional<NodeRanks> Ranks;
  std::optional<FlameNames> Names;
  OwnCode Own;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_GRAPH_H
