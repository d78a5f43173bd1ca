// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of calls between lines of the user's own code.

#ifndef MEMKIT_LIB_ANALYSIS_OWNTREE_H
#define MEMKIT_LIB_ANALYSIS_OWNTREE_H

#include "memkit/Model/Places.h"

namespace memkit {

/// The stacks of Trace::view() with the user's own lines alone. Calls have the
/// ids 1..size()-1, a caller's id is lower; 0 is the root. Takes time and
/// memory in proportion to the view's nodes.
class OwnTree {
public:
  OwnTree(const SelectedStats &S, const Places &Of);

  /// The innermost call of a node of the view; 0: no own line.
  uint32_t ofNode(uint32_t Node) const { return OfNode[Node]; }
  uint32_t parent(uint32_t Call) const { return Calls[Call].Parent; }
  const Place &place(uint32_t Call) const { return Lines[Calls[Call].Line]; }
  /// Calls of the same line.
  llvm::ArrayRef<uint32_t> callsOfLine(uint32_t Call) const {
    return CallsOf[Calls[Call].Line];
  }
  /// Allocations at and below the call.
  uint64_t allocations(uint32_t Call) const { return Calls[Call].Allocations; }
  uint32_t size() const { return Calls.size(); }
  bool isBelow(uint32_t Call, uint32_t Outer) const;

private:
  struct OwnCall {
    uint32_t Parent = 0, Line = 0;
    uint64_t Allocations = 0;
  };
  uint32_t lineOf(const Place &P);

  std::vector<OwnCall> Calls{{}};
  std::vector<Place> Lines{{}};
  std::vector<std::vector<uint32_t>> CallsOf{{}}; ///< by line
  std::vector<uint32_t> OfNode;
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_OWNTREE_H
