// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the processes that the OOM killer has killed.
//
// Reads the kernel's counts for the memory control group (version 1 or 2) of a
// recording: of a container, of a job. The killed processes only see SIGKILL,
// and have no other sign of the reason.

#ifndef MEMKIT_LIB_RECORD_MEMORYGROUP_H
#define MEMKIT_LIB_RECORD_MEMORYGROUP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

class MemoryGroup {
public:
  /// The group of this process; the whole machine if the process has no group.
  static MemoryGroup own();
  /// Membership: the text of a process's /proc/PID/cgroup. Mount: the folder of
  /// the groups' file systems. Machine: a file like /proc/vmstat, for the root
  /// group, which has no counts of its own.
  MemoryGroup(llvm::StringRef Membership, const std::string &Mount,
              const std::string &Machine);

  /// The number of processes of the group killed since the group exists; 0 if
  /// the count cannot be read.
  uint64_t kills() const;
  /// The bytes that the group and the groups around it allow; 0: no known
  /// limit.
  uint64_t limit() const;
  /// The bytes that processes of the group may still take before the kernel
  /// kills one: without those of files that it can give up. UINT64_MAX: no
  /// known limit.
  uint64_t left() const;
  bool isMachine() const { return Limits.empty(); }

private:
  std::string Counts;
  std::vector<std::string> Limits; ///< files, innermost first
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MEMORYGROUP_H
