// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paths of a tree by the names of their frames.

#ifndef MEMKIT_LIB_EXPORT_NAMEPATHS_H
#define MEMKIT_LIB_EXPORT_NAMEPATHS_H

#include "FlameTree.h"

namespace memkit {

/// Merges the nodes of a tree whose paths have equal names. Paths are numbered
/// from 0, the path without frames; a path's parent has a lower number. Memory:
/// 4 bytes a node and 8 bytes a path; 24 bytes a path during the construction.
class NamePaths {
public:
  NamePaths(ShownTree T, FlameNames &Names);
  /// The path of a node of the tree.
  uint32_t of(uint32_t Node) const { return PathOf[Node]; }
  llvm::ArrayRef<uint32_t> byNode() const { return PathOf; }
  uint32_t parent(uint32_t Path) const { return Paths[Path].Parent; }
  /// The name of the path's innermost frame; not for path 0.
  uint32_t name(uint32_t Path) const { return Paths[Path].Name; }
  size_t size() const { return Paths.size(); }

private:
  struct NamePath {
    uint32_t Parent;
    uint32_t Name;
  };
  std::vector<NamePath> Paths{{0, 0}};
  std::vector<uint32_t> PathOf;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_NAMEPATHS_H
