// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that the recorder follows.

#ifndef MEMKIT_LIB_RECORD_SESSION_CHILDPROCESS_H
#define MEMKIT_LIB_RECORD_SESSION_CHILDPROCESS_H

#include "Session/ResidentBudget.h"
#include "Sources/ProcessState.h"
#include "Stacks/JitNames.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace memkit {

/// How a process ended.
struct ChildExit {
  bool IsEnding = false; ///< ended; all its records are in its rings
  unsigned Passes = 0;   ///< since the end
  /// The latest of: TSC of its last record, of its announced exit, of the
  /// last pass before its end.
  uint64_t Tsc = 0;
  bool IsReplaced = false; ///< an exec replaced it
  int WaitStatus = -1;     ///< as waitpid() reports; -1: unknown
};

/// The samples of a process: see MemorySamples and ResidentSamples.
struct ChildSamples {
  uint64_t NextRssNs = 0, NextPssNs = 0, NextResidentNs = 0;
  uint32_t RssCount = 0, ResidentCount = 0;
  RssHistory Rss;
  bool IsMarked = false;      ///< a mark of the program requests its PSS
  uint64_t ResidentAsked = 0; ///< ResidentFlags: why to sample the parts now
  bool IsEndAsked = false;    ///< the sample at the exit
};

/// A process that the recorder follows: the program, or a descendant of the
/// program. Owns the process's pidfd.
struct ChildProcess {
  ChildProcess() = default;
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;
  ~ChildProcess() {
    if (PidFd >= 0)
      close(PidFd);
  }
  /// Whether the recorder takes records of the process.
  bool isRecorded() const { return State && !EndNs; }

  uint32_t Process = 0, Parent = 0;
  pid_t Pid = 0;
  pid_t InnerPid = 0; ///< pid in the process's own namespace
  int PidFd = -1;
  std::unique_ptr<ProcessState> State; ///< null: the process is not recorded
  bool SeesOurPids = false;        ///< lives in the recorder's pid namespace
  std::string Root;                ///< where the recorder sees its files
  uint32_t NextOrphan = 0;         ///< ring where takeBackRings() continues
  bool HasJit = false;             ///< ran code outside of any binary
  std::optional<JitPlace> PerfMap; ///< set until HasJit
  uint64_t StartNs = 0;
  uint64_t EndNs = 0; ///< 0: its end is not in the trace yet
  bool IsForked = false;
  ChildExit Exit;
  ChildSamples Samples;
  std::string Role;            ///< see PythonRole.h
  std::string Exe;             ///< path of the program
  std::string Arguments;       ///< /proc/PID/cmdline as last read
  std::string Title;           ///< last title written over the arguments
  uint32_t FindingsSaid = 0;   ///< bits, by wire::FindingSource
  bool PythonNoted = false;    ///< the version is in the trace
  bool AllocatorNoted = false; ///< so are the allocator's own figures
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_CHILDPROCESS_H
