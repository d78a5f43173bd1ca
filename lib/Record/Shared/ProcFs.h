// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel says of a process.

#ifndef MEMKIT_LIB_RECORD_PROCFS_H
#define MEMKIT_LIB_RECORD_PROCFS_H

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit::procfs {

/// The whole of a small file that has no size; empty when it cannot be read.
std::string readFile(const std::string &Path);
/// The arguments of a process, each with a NUL behind it; a process may have
/// written a title over its arguments.
std::string arguments(pid_t Pid);
std::string exePath(pid_t Pid);
/// Empty when the thread has ended.
std::string threadName(pid_t Pid, pid_t Tid);
/// Whether a path means the same to the process as to us; false when unknown.
bool seesOurFiles(pid_t Pid);
/// Its pids in the namespaces that it is in: from ours, where it is Pid, to the
/// one in which it sees itself. Pid alone when unknown.
std::vector<pid_t> namespacePids(pid_t Pid);
/// The process that a process Pid of another namespace calls Inner: itself, or
/// a child; 0: it is not there.
pid_t outerPid(pid_t Pid, pid_t Inner);
/// 0 when unknown.
pid_t parentPid(pid_t Pid);
/// The wait status of a zombie, when it may be read.
std::optional<int> zombieStatus(pid_t Pid);
/// Resident bytes and of them shared ones.
std::optional<std::pair<uint64_t, uint64_t>> residentBytes(pid_t Pid);
/// A process's part of what is resident. Slow: the kernel looks at each page.
struct Shares {
  uint64_t Pss = 0, Private = 0, Swapped = 0; ///< bytes
};
std::optional<Shares> sharesOf(pid_t Pid);
/// Whether the process maps a memfd of the name Tag.
bool mapsMemfd(pid_t Pid, const std::string &Tag);
/// Whether Text stands in the environment that the process was started with.
bool environHas(pid_t Pid, const std::string &Text);
/// All processes that were started at or after StartTicks (as startTicks()).
std::vector<pid_t> startedSince(uint64_t StartTicks);
/// When the process was started, in ticks since boot; 0 when unknown.
uint64_t startTicks(pid_t Pid);

std::string hostName();
std::string bootId();
std::string osName();

} // namespace memkit::procfs

#endif // MEMKIT_LIB_RECORD_PROCFS_H
