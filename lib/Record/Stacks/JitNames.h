// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of one process's JIT code.

#ifndef MEMKIT_LIB_RECORD_JITNAMES_H
#define MEMKIT_LIB_RECORD_JITNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace memkit {

/// Where a process writes its perf map.
class JitPlace {
public:
  /// Of the process Pid, which knows itself by InnerPid and started at StartNs
  /// of the REALTIME clock. A descriptor is held where it sees other files than
  /// we do.
  JitPlace(pid_t Pid, pid_t InnerPid, uint64_t StartNs);
  JitPlace(JitPlace &&Other);
  JitPlace &operator=(JitPlace &&) = delete;
  ~JitPlace();

  /// The map, open for reading; -1 when there is none, or none that may be
  /// believed: it must be a regular file of our user or root, written since the
  /// process started, for pids come again.
  int open(struct stat &Info) const;

private:
  int Folder; ///< the process's /tmp; -1: it is ours
  std::string File;
  uint64_t StartNs;
};

/// Finds names for code of one process that no binary owns. Belongs to the
/// thread that resolves addresses.
class JitNames {
public:
  using Clock = std::chrono::steady_clock;

  explicit JitNames(JitPlace Place) : Place(std::move(Place)) {}

  /// Asks for the name of Frame, code at Address. What is asked for beyond
  /// MaxWaiting addresses that have no name yet is given up.
  void ask(uint32_t Frame, uint64_t Address);

  /// When to look next, if nothing happens before; max(): never.
  Clock::time_point nextLook() const;

  /// Reads the map, if it may have names that were not found before, and tells
  /// those that were found.
  void look(llvm::function_ref<void(uint32_t Frame, const std::string &)> Tell);

  static constexpr size_t MaxWaiting = 65536;
  /// Of a longer file the rest is not read.
  static constexpr uint64_t MaxFileBytes = uint64_t(1) << 28;

private:
  bool hasChanged(const struct stat &Now);
  void read(int Fd, llvm::function_ref<void(uint32_t, const std::string &)>);

  JitPlace Place;
  std::vector<std::pair<uint64_t, uint32_t>> Waiting; ///< address, frame
  bool HasNew = false;   ///< of Waiting, since the last look
  struct stat Seen = {}; ///< the map at the last look
  Clock::time_point Next{};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_JITNAMES_H
