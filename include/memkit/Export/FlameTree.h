//===- FlameTree.h - A profile as a tree of functions -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a flame graph shows: the stacks of a profile merged from their root by
// what is shown of their frames, each node with the sum of what lies above it.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_EXPORT_FLAMETREE_H
#define MEMKIT_EXPORT_FLAMETREE_H

#include "memkit/Model/Profile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace memkit {

/// The names of the nodes of flame trees, numbered from 0. One may serve
/// several trees of a trace.
class FlameNames {
public:
  enum class Distinct {
    ByFunction, ///< by the name of the function alone
    ByPlace,    ///< also by its file and module
  };
  static constexpr uint32_t Smaller = 0; ///< `(smaller)`: what was folded
  static constexpr uint32_t NoStack = 1; ///< `(no stack)`: what has no frames

  struct Name {
    llvm::StringRef Function;
    llvm::StringRef File; ///< of the source, else the module; may be empty
    uint32_t Line = 0;    ///< where the function is defined, 0 unknown
  };

  FlameNames(const Trace &T, Distinct How);
  llvm::ArrayRef<Name> names() const { return Names; }
  /// The number of a frame of T.allShown().
  uint32_t find(uint32_t ShownIndex) {
    uint32_t &Known = ByShown[ShownIndex];
    return Known ? Known : Known = intern(ShownIndex);
  }

private:
  uint32_t intern(uint32_t ShownIndex);

  const Trace &T;
  Distinct How;
  std::vector<Name> Names;
  std::vector<uint32_t> ByShown; ///< 0: not asked for yet
  llvm::StringMap<uint32_t> ByText;
};

/// A node; they stand in preorder, larger siblings first, and what was folded
/// last.
struct FlameNode {
  uint32_t Name = 0;  ///< in FlameNames
  uint32_t Depth = 0; ///< from 0
  uint64_t Total = 0;
  uint64_t Self = 0; ///< Total less that of the children
};

/// Builds trees of one trace; what it needs for each node of the trace is kept
/// between them (28 bytes a node).
class FlameBuilder {
public:
  FlameBuilder(const Trace &T, FlameNames &Names);

  /// The tree of P with about MaxNodes nodes; 0 is no limit. With one, children
  /// that are too small to be seen are folded into one named `(smaller)`: they
  /// have less than a 20,000th of the profile, or more where that is too many.
  /// The totals of all others stay exact.
  std::vector<FlameNode> build(const Profile &P, size_t MaxNodes);

private:
  /// A frame of a node of the trace, of those shown for it: counted from the
  /// outermost.
  struct Item {
    uint32_t Node;
    uint32_t Shown;
  };
  struct NamedItem {
    uint32_t Name;
    Item I;
  };
  struct Pending {
    uint32_t Name;
    uint32_t Depth;
    uint64_t Total;
    size_t FirstItem; ///< its items are the last of Items then
  };

  void addValues(const Profile &P);
  void sumUp();
  uint64_t chooseThreshold(uint64_t Total, size_t MaxNodes) const;
  void clear();
  void gatherChildren(llvm::ArrayRef<Item> Of, std::vector<NamedItem> &Out);
  void addItem(uint32_t Node, uint32_t Shown, std::vector<NamedItem> &Out);
  uint64_t pushChildren(std::vector<NamedItem> &Children, uint32_t Depth,
                        uint64_t Threshold);

  const Trace &T;
  FlameNames &Names;
  std::vector<uint64_t> Values;  ///< by node; inclusive after sumUp()
  std::vector<uint32_t> First;   ///< child with a value
  std::vector<uint32_t> Next;    ///< sibling
  std::vector<uint64_t> Touched; ///< bits of the nodes with a value
  std::vector<size_t> Sizes; ///< how many nodes there are of each size class
  std::vector<Item> Items;
  std::vector<Pending> Stack;
};

} // namespace memkit

#endif // MEMKIT_EXPORT_FLAMETREE_H
