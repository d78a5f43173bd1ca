// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the JIT code of a process.

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

/// The perf map that a process writes.
class JitPlace {
public:
  /// For process Pid, InnerPid in its own namespace, started at StartNs of
  /// CLOCK_REALTIME. Holds a descriptor of the process's /tmp if the process
  /// sees other files than the recorder.
  JitPlace(pid_t Pid, pid_t InnerPid, uint64_t StartNs);
  JitPlace(JitPlace &&Other);
  JitPlace &operator=(JitPlace &&) = delete;
  ~JitPlace();

  /// Opens the map for reading; -1 without a trustworthy map: a regular file of
  /// the recorder's user or of root, written since the start of the process,
  /// because pids are reused.
  int open(struct stat &Info) const;

private:
  int Folder; ///< the process's /tmp; -1: the recorder's
  std::string File;
  uint64_t StartNs;
};

/// Finds names for code of a process outside of all binaries. Belongs to the
/// thread that resolves addresses.
class JitNames {
public:
  using Clock = std::chrono::steady_clock;

  explicit JitNames(JitPlace Place) : Place(std::move(Place)) {}

  /// Requests the name of Frame, code at Address. Drops the request while
  /// MaxWaiting addresses wait for a name.
  void ask(uint32_t Frame, uint64_t Address);

  /// The time of the next look() without an earlier reason; max(): never.
  Clock::time_point nextLook() const;

  /// Reads the map if it may have new names, and calls Tell for each name
  /// found.
  void look(llvm::function_ref<void(uint32_t Frame, const std::string &)> Tell);

  static constexpr size_t MaxWaiting = 65536;
  /// The part of a file beyond this size is not read.
  static constexpr uint64_t MaxFileBytes = uint64_t(1) << 28;

private:
  bool hasChanged(const struct stat &Now);
  void read(int Fd, llvm::function_ref<void(uint32_t, const std::string &)>);

  JitPlace Place;
  std::vector<std::pair<uint64_t, uint32_t>> Waiting; ///< address, frame
  bool HasNew = false;   ///< requests since the last look
  struct stat Seen = {}; ///< the map at the last look
  Clock::time_point Next{};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_JITNAMES_H
