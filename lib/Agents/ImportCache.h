// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of other tools' recordings, in memory.

#ifndef MEMKIT_LIB_AGENTS_IMPORTCACHE_H
#define MEMKIT_LIB_AGENTS_IMPORTCACHE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <deque>
#include <string>

namespace memkit {

/// The traces of the last recordings that clients asked about. One thread.
class ImportCache {
public:
  ImportCache() = default;
  ImportCache(const ImportCache &) = delete;
  ImportCache &operator=(const ImportCache &) = delete;
  ~ImportCache();

  /// The path of the trace of a recording, which this process holds open;
  /// empty: there is none, or the recording has changed since.
  std::string find(llvm::StringRef Path) const;
  /// A new file in memory for the trace of a recording, which keep() or drop()
  /// ends. Errors: Path is no file, or there is no memory.
  llvm::Expected<int> begin(llvm::StringRef Path);
  /// Keeps the trace that was begun; the oldest of too many goes.
  void keep();
  void drop();

private:
  /// What tells a file from another one, or from an earlier state.
  struct RecordingState {
    uint64_t Device = 0, File = 0, Bytes = 0, ChangedNs = 0;
    bool operator==(const RecordingState &) const = default;
  };
  struct ImportedTrace {
    std::string Path;
    RecordingState Of;
    int Fd = -1;
  };
  static bool stateOf(llvm::StringRef Path, RecordingState &To);

  static constexpr size_t MaxTraces = 4;
  std::deque<ImportedTrace> All; ///< the oldest first
  ImportedTrace Begun;           ///< Fd -1: none
};

} // namespace memkit

#endif // MEMKIT_LIB_AGENTS_IMPORTCACHE_H
