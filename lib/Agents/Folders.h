// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folders whose traces a client may ask about.

#ifndef MEMKIT_LIB_AGENTS_FOLDERS_H
#define MEMKIT_LIB_AGENTS_FOLDERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

class Folders {
public:
  /// Errors: a folder is not there.
  static llvm::Expected<Folders> create(llvm::ArrayRef<std::string> Names);

  /// The real path of a file or folder below one of the folders, links
  /// followed; `live:` and a number stays as it is. A relative path is one
  /// below the first folder. Errors say no more of files elsewhere than that
  /// they are elsewhere.
  llvm::Expected<std::string> resolve(llvm::StringRef Path) const;
  /// The path of a trace to write: a name that ends in .fb and does not exist,
  /// in a folder below one of the folders.
  llvm::Expected<std::string> resolveNew(llvm::StringRef Path) const;
  llvm::StringRef first() const { return Real.front(); }

private:
  bool isAllowed(llvm::StringRef RealPath) const;
  llvm::SmallString<256> wholePath(llvm::StringRef Path) const;
  std::vector<std::string> Real;
};

} // namespace memkit

#endif // MEMKIT_LIB_AGENTS_FOLDERS_H
