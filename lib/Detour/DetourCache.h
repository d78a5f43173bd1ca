// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planned detours of earlier runs.

#ifndef MEMKIT_LIB_DETOUR_DETOURCACHE_H
#define MEMKIT_LIB_DETOUR_DETOURCACHE_H

#include "Wire/Detours.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace memkit {

/// Keeps the detours of a binary in the user's cache
/// (`~/.cache/memkit/detours`, or as XDG_CACHE_HOME says): planning reads all
/// of a binary's code. A file holds one reply, as it lies in memory, behind a
/// head with its hash. Failures are silent: the detours are planned again. One
/// thread.
class DetourCache {
public:
  DetourCache();

  /// The detours of the binary with the build-id, whose heaps are called after
  /// Name; none: they are not known, or the file is damaged.
  std::optional<wire::DetourReply> find(llvm::ArrayRef<uint8_t> BuildId,
                                        llvm::StringRef Name) const;
  /// Keeps the detours of a binary that has a build-id.
  void keep(const wire::DetourReply &R, llvm::StringRef Name) const;

private:
  std::string fileOf(llvm::ArrayRef<uint8_t> BuildId,
                     llvm::StringRef Name) const;

  std::string Folder; ///< empty: the user has no cache
};

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_DETOURCACHE_H
