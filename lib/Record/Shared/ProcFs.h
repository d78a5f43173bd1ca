// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the kernel's information about a process.

#ifndef MEMKIT_LIB_RECORD_PROCFS_H
#define MEMKIT_LIB_RECORD_PROCFS_H

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit::procfs {

/// The content of a small file without a size; empty if it cannot be read.
std::string readFile(const std::string &Path);
/// The arguments of a process, each with a NUL at its end; a process may have
/// written a title over its arguments.
std::string arguments(pid_t Pid);
std::string exePath(pid_t Pid);
/// Empty if the thread has ended.
std::string threadName(pid_t Pid, pid_t Tid);
/// Whether a path means the same file to the process and to the recorder; false
/// if unknown.
bool seesOurFiles(pid_t Pid);
/// The pids of the process in its namespaces, from the recorder's, where it is
/// Pid, to its own. Pid alone if unknown.
std::vector<pid_t> namespacePids(pid_t Pid);
/// The recorder's pid of the process that process Pid, of another namespace,
/// calls Inner: Pid itself or a child; 0: not found.
pid_t outerPid(pid_t Pid, pid_t Inner);
/// 0 when unknown.
pid_t parentPid(pid_t Pid);
/// The wait status of a zombie, if readable.
std::optional<int> zombieStatus(pid_t Pid);
/// Resident bytes, and the shared bytes of these.
std::optional<std::pair<uint64_t, uint64_t>> residentBytes(pid_t Pid);
/// The bytes of a process that are swapped out; none: the process is gone.
std::optional<uint64_t> swappedBytes(pid_t Pid);
/// A process's share of resident memory. Slow: the kernel visits each page.
struct Shares {
  uint64_t Pss = 0, Private = 0, Swapped = 0; ///< bytes
};
std::optional<Shares> sharesOf(pid_t Pid);
/// Whether the process maps a memfd of the name Tag.
bool mapsMemfd(pid_t Pid, const std::string &Tag);
/// The resident bytes of the process that are of no file; 0: unknown.
uint64_t anonymousBytes(pid_t Pid);
/// The arguments of the system calls that the threads of the process wait in,
/// as far as this may be seen.
std::vector<uint64_t> callArguments(pid_t Pid);
/// Whether the process maps a file whose name begins with Prefix.
bool mapsFile(pid_t Pid, const std::string &Prefix);
/// The initial environment of a process: `NAME=value`, each with a NUL at its
/// end; empty if it cannot be read.
std::string environment(pid_t Pid);
/// Whether the initial environment of the process contains Text.
bool environHas(pid_t Pid, const std::string &Text);
/// All processes started at or after StartTicks, in units of startTicks().
std::vector<pid_t> startedSince(uint64_t StartTicks);
/// The start of the process in ticks since boot; 0 if unknown.
uint64_t startTicks(pid_t Pid);

std::string hostName();
std::string bootId();
std::string osName();

} // namespace memkit::procfs

#endif // MEMKIT_LIB_RECORD_PROCFS_H
