// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several profiles, by path of names.

#ifndef MEMKIT_LIB_EXPORT_PATHTABLE_H
#define MEMKIT_LIB_EXPORT_PATHTABLE_H

#include "FlameTree.h"
#include "NodeValues.h"

namespace memkit {

/// The name of a function as it stands in a path `root;..;leaf`: a `;` is `:`
/// there and a line break a space.
std::string pathName(llvm::StringRef Function);

/// The rows that profiles of one tree make when paths of the same names are
/// one, the largest values of the first profile first.
class PathTable {
public:
  PathTable(ShownTree T, llvm::ArrayRef<Profile> Profiles);
  void forEach(llvm::function_ref<void(llvm::StringRef Path,
                                       llvm::ArrayRef<uint64_t> Values)>
                   Do) const;

private:
  /// A node of the tree of names; parents stand before their children.
  struct Place {
    uint32_t Parent;
    uint32_t Name;
  };
  std::vector<uint32_t> canonical(ShownTree T);

  FlameNames Names;
  std::vector<Place> Places{{0, 0}};
  NodeValues Values;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PATHTABLE_H
