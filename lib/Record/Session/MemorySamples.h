// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of the memory that processes hold.

#ifndef MEMKIT_LIB_RECORD_SESSION_MEMORYSAMPLES_H
#define MEMKIT_LIB_RECORD_SESSION_MEMORYSAMPLES_H

#include "Session/CaptureReports.h"
#include "Session/ChildList.h"
#include "Session/ProcessRoles.h"
#include "Session/PssThread.h"
#include "Session/RecordOptions.h"

namespace memkit {

/// Samples the memory that processes hold, from outside: RSS, PSS, the use of
/// CUDA devices.
///
/// The session reads the RSS of each process at an interval: often after the
/// start of the process, when most happens, then at the requested interval, and
/// more rarely in long runs (SampleInterval.h). PSS costs far more: a thread
/// reads the PSS of children of fork only, at marks of the program, soon after
/// the start, and then at ten times the interval. Neither takes more than a
/// two-hundredth of the time: of PSS, of the last ten seconds.
class MemorySamples {
public:
  MemorySamples(const RecordOptions &O, Recording &R, ChildList &Children,
                DeviceUses &Uses, CaptureReports &Reports);

  // Once a pass; each does nothing before its next sample is due.
  /// Reads the RSS and the title of one process. Where the share of time does
  /// not suffice for the interval, the processes take turns.
  void sampleRss(uint64_t Now);
  void samplePss(uint64_t Now);
  /// Adds the memory and the processor time of memrec itself, each second, more
  /// rarely in long runs.
  void sampleOwn(uint64_t Now);
  /// Adds how much of the CUDA devices is used, and by which processes.
  void sampleDevices(uint64_t Now);

  /// A mark of the program requests the PSS of its process Marked and of the
  /// children of Marked.
  void requestPss(const ChildProcess &Marked);

private:
  uint64_t intervalOf(const ChildProcess &P) const;
  void takePss(uint64_t Now);
  ChildProcess *nextForRss(uint64_t Now);
  ChildProcess *nextForPss(uint64_t Now);

  const RecordOptions &O;
  Recording &R;
  ChildList &Children;
  DeviceUses &Uses;
  CaptureReports &Reports;
  bool HasSwap; ///< the machine can swap
  PssThread Pss;
  /// Earliest time of the next sample of any process.
  uint64_t NextRssNs = 0, NextPssNs = 0;
  uint64_t NextOwnNs = 0;
  uint32_t OwnCount = 0; ///< samples of memrec itself
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_MEMORYSAMPLES_H
