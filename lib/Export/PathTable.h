// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several profiles, by path of names.

#ifndef MEMKIT_LIB_EXPORT_PATHTABLE_H
#define MEMKIT_LIB_EXPORT_PATHTABLE_H

#include "NamePaths.h"
#include "NodeValues.h"

namespace memkit {

/// The name of a function in a path `root;..;leaf`: a `;` becomes `:` and a
/// line break a space.
std::string pathName(llvm::StringRef Function);

/// The rows of profiles of one tree, with paths of equal names merged. The
/// largest values of the first profile come first.
class PathTable {
public:
  PathTable(ShownTree T, llvm::ArrayRef<Profile> Profiles);
  void forEach(llvm::function_ref<void(llvm::StringRef Path,
                                       llvm::ArrayRef<uint64_t> Values)>
                   Do) const;

private:
  FlameNames Names;
  NamePaths Paths;
  NodeValues Values;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PATHTABLE_H
