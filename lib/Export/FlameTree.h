// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile as a tree of functions.
//
// What a flame graph shows: the stacks of a profile merged from their root by
// what is shown of their frames, each node with the sum of what lies above it.

#ifndef MEMKIT_LIB_EXPORT_FLAMETREE_H
#define MEMKIT_LIB_EXPORT_FLAMETREE_H

#include "NodeRanks.h"
#include "memkit/Model/Profile.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// The names of the nodes of flame trees, numbered from 0. One may serve
/// several profiles of a tree.
class FlameNames {
public:
  enum class Distinct {
    ByFunction, ///< by the name of the function alone
    ByPlace,    ///< also by its file and binary
  };
  static constexpr uint32_t Smaller = 0; ///< `(smaller)`: what was folded
  static constexpr uint32_t NoStack = 1; ///< `(no stack)`: what has no frames

  struct Name {
    llvm::StringRef Function;
    llvm::StringRef File; ///< of the source, else the binary; may be empty
    uint32_t Line = 0;    ///< where the function is defined, 0 unknown
  };

  FlameNames(ShownTree T, Distinct How);
  llvm::ArrayRef<Name> names() const { return Names; }
  /// The number of a frame of T.allShown().
  uint32_t find(uint32_t ShownIndex) {
    uint32_t &Known = ByShown[ShownIndex];
    return Known ? Known : Known = intern(T.allShown()[ShownIndex]);
  }
  /// The number of a name of other FlameNames of the same tree and kind.
  uint32_t add(const Name &N);

private:
  uint32_t intern(const ShownFrame &F);

  ShownTree T;
  Distinct How;
  std::vector<Name> Names;
  std::vector<uint32_t> ByShown;    ///< 0: not asked for yet
  std::vector<uint32_t> ByFunction; ///< likewise; of those with a file
  llvm::DenseMap<std::pair<llvm::StringRef, llvm::StringRef>, uint32_t> ByText;
};

/// A node; they stand in preorder, larger siblings first, and what was folded
/// last.
struct FlameNode {
  uint32_t Name = 0;  ///< in FlameNames
  uint32_t Depth = 0; ///< from 0
  uint64_t Total = 0;
  uint64_t Self = 0; ///< Total less that of the children
};

/// Builds trees of the profiles of one tree, whose keys theirs are. Several may
/// share Ranks, each with Names of its own, and work on different threads.
class FlameBuilder {
public:
  FlameBuilder(ShownTree T, const NodeRanks &Ranks, FlameNames &Names)
      : T(T), Ranks(Ranks), Names(Names) {}

  /// The tree of P with at most MaxNodes nodes, the largest, beside those named
  /// `(smaller)` that stand for all the children of a node that were left out;
  /// 0 is no limit. With a limit, nodes below a 20,000th of the profile, which
  /// nobody can see, are left out too. All totals stay exact.
  ///
  /// Takes time in proportion to P and to the nodes drawn, not to the trace.
  std::vector<FlameNode> build(const Profile &P, size_t MaxNodes);

private:
  /// The stacks of the profile, ordered by the rank of their leaf.
  struct RankedValue {
    uint32_t Rank;
    uint32_t Index; ///< in the profile's values
  };
  /// A frame of a node of the trace, of those shown for it (counted from the
  /// outermost), and the ordered stacks that go through it.
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
  struct Child {
    uint32_t Rank;
    uint32_t Frame;
  };
  struct Span {
    size_t Begin;
    size_t Count;
  };
  /// A node of the tree while it grows; they stand in order of creation. Its
  /// items are those of the trace that are shown alike.
  struct Growing {
    uint32_t Name;
    uint32_t Parent;
    uint32_t FirstItem;
    uint32_t EndItem;
    uint64_t Total;
    uint64_t Self = 0;
    uint64_t Folded = 0; ///< of children that are left out
    bool Drawn = false;
  };

  void order(const Profile &P);
  uint32_t skip(uint32_t Next, uint32_t End, uint32_t LastRank) const;
  void grow(uint64_t Threshold, size_t MaxNodes);
  void expand(uint32_t Index, uint64_t Threshold);
  void gatherChildren(const Growing &G);
  void addItem(Item I);
  llvm::ArrayRef<Child> childrenOf(uint32_t Rank);
  std::vector<FlameNode> inPreorder() const;
  uint64_t valueOf(Item I) const { return Sums[I.End] - Sums[I.Begin]; }

  ShownTree T;
  const NodeRanks &Ranks;
  FlameNames &Names;
  /// The children of the nodes that any tree asked for: large heaps share
  /// their nodes near the root, and to find them costs a cache miss each.
  std::vector<Child> NodeChildren;
  llvm::DenseMap<uint32_t, Span> ChildSpans; ///< of NodeChildren, by rank
  std::vector<RankedValue> Ordered, Scratch;
  std::vector<uint64_t> Sums; ///< of the values before each ordered stack
  std::vector<Item> Items;
  std::vector<NamedItem> Children;
  std::vector<uint64_t> ChildOrder; ///< name, and place in Children
  std::vector<Growing> Tree;        ///< the first stands for the root
  std::vector<uint32_t> Waiting;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FLAMETREE_H
