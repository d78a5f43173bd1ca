// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile as a tree of functions.
//
// The data of a flame graph: the stacks of a profile merged from their root by
// the shown text of their frames. Each node has the sum of its subtree.

#ifndef MEMKIT_LIB_EXPORT_FLAMETREE_H
#define MEMKIT_LIB_EXPORT_FLAMETREE_H

#include "NodeRanks.h"
#include "memkit/Model/Profile.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace memkit {

/// The names of the nodes of flame trees, numbered from 0. Several profiles of
/// a tree may share one object.
class FlameNames {
public:
  enum class Distinct {
    ByFunction, ///< by the name of the function alone
    ByPlace,    ///< also by its file and binary
  };
  static constexpr uint32_t Smaller = 0; ///< `(smaller)`: folded nodes
  /// `(no stack)`: values without frames.
  static constexpr uint32_t NoStack = 1;

  struct FlameName {
    llvm::StringRef Function;
    llvm::StringRef File; ///< of the source, else the binary; may be empty
    uint32_t Line = 0;    ///< where the function is defined, 0 unknown
    /// A frame with this name, of the tree's allShown(); none for folded nodes.
    std::optional<uint32_t> Shown = {};
  };

  FlameNames(ShownTree T, Distinct How);
  llvm::ArrayRef<FlameName> names() const { return Names; }
  /// The number of a frame of T.allShown().
  uint32_t find(uint32_t ShownIndex) {
    uint32_t &Known = ByShown[ShownIndex];
    if (!Known) {
      Known = intern(T.allShown()[ShownIndex]);
      Names[Known].Shown = ShownIndex;
    }
    return Known;
  }
  /// The number of a name from other FlameNames with equal tree and kind.
  uint32_t add(const FlameName &N);

private:
  uint32_t intern(const ShownFrame &F);

  ShownTree T;
  Distinct How;
  std::vector<FlameName> Names;
  std::vector<uint32_t> ByShown; ///< 0: not looked up yet
  /// Functions with a file; 0: not looked up yet.
  std::vector<uint32_t> ByFunction;
  llvm::DenseMap<std::pair<llvm::StringRef, llvm::StringRef>, uint32_t> ByText;
};

/// A node of a flame tree. Nodes are in preorder, larger siblings first, folded
/// nodes last.
struct FlameNode {
  uint32_t Name = 0;  ///< in FlameNames
  uint32_t Depth = 0; ///< from 0
  uint64_t Total = 0;
  uint64_t Self = 0; ///< Total less the totals of the children
};

/// Builds flame trees of profiles of one tree; their keys are those of the
/// tree. Several builders may share Ranks and work on different threads, if
/// each has Names of its own.
class FlameBuilder {
public:
  FlameBuilder(ShownTree T, const NodeRanks &Ranks, FlameNames &Names)
      : T(T), Ranks(Ranks), Names(Names) {}

  /// The tree of P with at most MaxNodes nodes, the largest; 0 is no limit. The
  /// children left out of a node are replaced by one node `(smaller)`, which
  /// does not count. With a limit, nodes below 1/20,000 of the profile are left
  /// out too, because they would be invisible. All totals stay exact.
  ///
  /// Takes time in proportion to P and to the number of drawn nodes, not to the
  /// size of the trace.
  std::vector<FlameNode> build(const Profile &P, size_t MaxNodes);

private:
  /// The stacks of the profile, ordered by the rank of their leaf.
  struct RankedValue {
    uint32_t Rank;
    uint32_t Index; ///< in the profile's values
  };
  /// A shown frame of a node of the trace, by its index from the outermost, and
  /// the ordered stacks through it.
  struct Item {
    uint32_t Rank;
    uint32_t Frame; ///< of the node; 0 for the root
    uint32_t Shown;
    uint32_t Begin;
    uint32_t End;
  };
  struct NamedItem {
    uint32_t Name;
    Item I;
  };
  struct FlameChild {
    uint32_t Rank;
    uint32_t Frame;
  };
  struct ItemRange {
    size_t Begin;
    size_t Count;
  };
  /// A node of the growing tree; nodes are in order of creation. Its items are
  /// frames of the trace that look equal.
  struct Growing {
    uint32_t Name;
    uint32_t Parent;
    uint32_t FirstItem;
    uint32_t EndItem;
    uint64_t Total;
    uint64_t Self = 0;
    uint64_t Folded = 0; ///< total of children that are left out
    bool Drawn = false;
  };

  void order(const Profile &P);
  uint32_t skip(uint32_t Next, uint32_t End, uint32_t LastRank) const;
  void grow(uint64_t Threshold, size_t MaxNodes);
  void expand(uint32_t Index, uint64_t Threshold);
  void gatherChildren(const Growing &G);
  void addItem(Item I);
  llvm::ArrayRef<FlameChild> childrenOf(uint32_t Rank);
  std::vector<FlameNode> inPreorder() const;
  uint64_t valueOf(Item I) const { return Sums[I.End] - Sums[I.Begin]; }

  ShownTree T;
  const NodeRanks &Ranks;
  FlameNames &Names;
  /// The children of all nodes requested so far. Large heaps share their nodes
  /// near the root, and finding a child costs a cache miss.
  std::vector<FlameChild> NodeChildren;
  llvm::DenseMap<uint32_t, ItemRange> ChildRanges; ///< of NodeChildren, by rank
  std::vector<RankedValue> Ordered, Scratch;
  std::vector<uint64_t> Sums; ///< of the values before each ordered stack
  std::vector<Item> Items;
  std::vector<NamedItem> Children;
  std::vector<uint64_t> ChildOrder; ///< name, and index in Children
  std::vector<Growing> Tree;        ///< the first is the root
  std::vector<uint32_t> Waiting;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FLAMETREE_H
