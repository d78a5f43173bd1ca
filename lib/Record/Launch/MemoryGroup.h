// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who was killed for lack of memory.
//
// What the kernel's OOM killer did in the control group of memory (version 1 or
// 2) that a recording runs in: a container's, a job's. Its victims only see
// SIGKILL, and nothing else tells why they died.

#ifndef MEMKIT_LIB_RECORD_MEMORYGROUP_H
#define MEMKIT_LIB_RECORD_MEMORYGROUP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

class MemoryGroup {
public:
  /// That of this process; the whole machine where it has none.
  static MemoryGroup own();
  /// Membership: the text of a process's /proc/PID/cgroup. Mount: where the
  /// groups' file systems are. Machine: a file like /proc/vmstat, for the root
  /// group, which counts nothing of its own.
  MemoryGroup(llvm::StringRef Membership, const std::string &Mount,
              const std::string &Machine);

  /// How many of its processes were killed, since it was made; 0 when that
  /// cannot be read.
  uint64_t kills() const;
  /// The bytes that it and the groups around it allow; 0: no limit is known.
  uint64_t limit() const;
  bool isMachine() const { return Limits.empty(); }

private:
  std::string Counts;
  std::vector<std::string> Limits; ///< files, innermost first
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MEMORYGROUP_H
