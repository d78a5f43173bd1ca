// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which limit of host memory a process has met.

#ifndef MEMKIT_LIB_RECORD_SHARED_HOSTLIMITS_H
#define MEMKIT_LIB_RECORD_SHARED_HOSTLIMITS_H

#include "memkit/Trace/Categories.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <sys/types.h>

namespace memkit {

/// A limit in bytes; Free: what is left of the limit, if known.
struct MetLimit {
  LimitKind Kind = LimitKind::Unknown;
  uint64_t Bytes = 0; ///< 0: not known
  std::optional<uint64_t> Free;
};

/// What a process uses, and its limits, in bytes. Limits may be NoLimit.
struct HostUse {
  static constexpr uint64_t NoLimit = UINT64_MAX;
  uint64_t AddressSpace = 0, Data = 0; ///< 0: not known, the process is gone
  uint64_t AddressSpaceLimit = NoLimit, DataLimit = NoLimit;
  bool IsStrict = false; ///< vm.overcommit_memory is 2
  bool IsNever = false;  ///< 1: the machine refuses nothing
  uint64_t Committed = 0, CommitLimit = 0;
  /// Memory and swap of the machine.
  uint64_t Total = 0, Available = 0;
  uint64_t Ram = 0, RamAvailable = 0; ///< the same without swap
};

/// The limit that refused Requested bytes.
MetLimit limitMet(const HostUse &U, uint64_t Requested);

/// Sets the limits of a process in U, unless the process is gone. Two
/// system calls.
void readLimits(pid_t Pid, HostUse &U);
/// The limits and the use of a process now. A process that is gone keeps
/// the limits of Before. Takes some microseconds.
HostUse readHostUse(pid_t Pid, const HostUse &Before);
/// Adds the machine's part to U, from the text of /proc/meminfo.
void readMemInfo(llvm::StringRef Text, HostUse &U);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_HOSTLIMITS_H
