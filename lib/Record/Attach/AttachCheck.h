// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which process a user means, and whether memrec can attach to it.

#ifndef MEMKIT_LIB_RECORD_ATTACH_ATTACHCHECK_H
#define MEMKIT_LIB_RECORD_ATTACH_ATTACHCHECK_H

#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// The process with the number or the name: that of the process, its file, also
/// with a path, or its first argument. Errors, whole sentences: there is none,
/// or several.
llvm::Expected<pid_t> findTarget(llvm::StringRef PidOrName);

/// Errors, whole sentences: why memrec cannot attach to the process, and what
/// to do. Changes nothing in the process. WithPrivate: whether private
/// allocators are to be recorded.
llvm::Error checkTarget(pid_t Pid, bool WithPrivate);

/// As checkTarget(), for a process whose memory is only read.
llvm::Error checkReadable(pid_t Pid);

/// The processes that descend from a process, parents before children, at most
/// MaxDescendants; without this process and its own.
std::vector<pid_t> descendantsOf(pid_t Pid);
inline constexpr size_t MaxDescendants = 4096;

/// A process and its name: `1234 (redis-server)`.
std::string processText(pid_t Pid);

/// The user and group of a process.
struct TargetOwner {
  uid_t User;
  gid_t Group;
};
TargetOwner ownerOf(pid_t Pid);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_ATTACHCHECK_H
