// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the heaps of allocators are called that are parts of binaries.

#ifndef MEMKIT_LIB_RECORD_SHARED_PRIVATEHEAPNAME_H
#define MEMKIT_LIB_RECORD_SHARED_PRIVATEHEAPNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// What the heaps of a binary's allocators are called after: the file's name up
/// to the first dot, `libarrow` of `libarrow.so.2600`.
inline std::string privateHeapSuffix(llvm::StringRef Path) {
  llvm::StringRef File = Path.substr(Path.rfind('/') + 1);
  llvm::StringRef Name = File.split('.').first;
  return Name.empty() ? File.str() : Name.str();
}

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_PRIVATEHEAPNAME_H
