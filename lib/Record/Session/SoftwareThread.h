// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the versions of what processes have loaded.

#ifndef MEMKIT_LIB_RECORD_SESSION_SOFTWARETHREAD_H
#define MEMKIT_LIB_RECORD_SESSION_SOFTWARETHREAD_H

#include "Shared/SideThread.h"
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memkit {

/// Finds versions on a thread of its own: a folder of packages may be large, or
/// on a slow disk. Only the recorder's thread may call the members.
class SoftwareThread {
public:
  /// The process, which sees the files below Root, has loaded a binary. Does
  /// nothing if no version can be found, or another binary of the package was
  /// added before.
  void add(uint32_t Process, const std::string &Root, const std::string &Path);

  struct FoundVersion {
    uint32_t Process;
    std::string Text; ///< `NAME=VERSION`
  };
  /// The versions found since the last call.
  std::vector<FoundVersion> take();
  /// As take(), after the last answer, or after MaxWaitMs.
  std::vector<FoundVersion> finish();

private:
  struct LoadedFile {
    uint32_t Process;
    std::string Root, Path;
  };
  void start();

  /// Bounds the memory for what processes may load.
  static constexpr size_t MaxPackages = 4096;
  static constexpr unsigned MaxWaitMs = 500;
  std::set<std::pair<uint32_t, std::string>> Known; ///< process, package
  std::vector<LoadedFile> Waiting;
  std::vector<LoadedFile> Asked;   ///< of the thread while it is busy
  std::vector<FoundVersion> Found; ///< of the thread while it is busy
  SideThread Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_SOFTWARETHREAD_H
