// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of JIT code for the frames of a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_JITSYMBOLS_H
#define MEMKIT_LIB_SYMBOLIZE_JITSYMBOLS_H

#include "JitOwners.h"
#include "TraceFrames.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memkit {

/// A perf map: the file in which a JIT compiler lists its code.
struct PerfMapFile {
  std::string File;
  uint32_t Pid = 0; ///< 0: the pid in the name `perf-PID.map`, or the only one
};

/// The perf maps to read.
struct PerfMapChoice {
  std::vector<PerfMapFile> Files;
  /// Also /tmp/perf-PID.map of each process, if the file is this user's or
  /// root's and was written since the process started.
  bool ReadUsualPlace = false;

  bool empty() const { return Files.empty() && !ReadUsualPlace; }
};

/// What became of the frames of unknown code that have no name.
struct JitCounts {
  uint64_t Frames = 0;
  uint64_t Named = 0;
  uint64_t Ambiguous = 0; ///< of other processes, too, with no or another name
  std::vector<std::string> Read;   ///< the maps that were read
  std::vector<std::string> Passed; ///< `FILE: why it was not read`
};

/// Names the frames of unknown code from perf maps. A frame in stacks of
/// several processes is named if all maps that have the address agree, and the
/// other processes were forked from one with a map. OnName gets each frame,
/// from 1. An error for a file that cannot be read, or whose process is not in
/// the trace.
llvm::Expected<JitCounts> nameJitFrames(
    const TraceFrames &Trace, const JitOwners &Owners, const Header &H,
    const PerfMapChoice &Choice,
    llvm::function_ref<void(uint32_t Frame, const std::string &)> OnName);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_JITSYMBOLS_H
