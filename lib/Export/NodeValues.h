// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several profiles, by node.

#ifndef MEMKIT_LIB_EXPORT_NODEVALUES_H
#define MEMKIT_LIB_EXPORT_NODEVALUES_H

#include "memkit/Model/Profile.h"
#include "memkit/Model/ScopeView.h"

namespace memkit {

/// The values of profiles of one tree at the nodes where stacks end. A row is a
/// node, a column is a profile.
class NodeValues {
public:
  /// Canonical: by node, a number that replaces the node's; empty: none.
  NodeValues(ShownTree T, llvm::ArrayRef<Profile> Profiles,
             llvm::ArrayRef<uint32_t> Canonical = {});

  size_t size() const { return Nodes.size(); }
  uint32_t node(size_t Row) const { return Nodes[Row]; }
  llvm::ArrayRef<uint64_t> values(size_t Row) const {
    return llvm::ArrayRef(Values).slice(Row * Width, Width);
  }

private:
  size_t Width;
  std::vector<uint32_t> Nodes;
  std::vector<uint64_t> Values;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_NODEVALUES_H
