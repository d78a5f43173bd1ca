// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a trace is replayed on the host.

#ifndef MEMKIT_LIB_SIMULATE_HOSTTARGET_H
#define MEMKIT_LIB_SIMULATE_HOSTTARGET_H

#include "Simulate/RequestFunctions.h"
#include "Wire/ReplayCommands.h"
#include "memkit/Model/Selection.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// What was measured of the process. With IsOfMalloc bytes are those of malloc,
/// live and free; else private resident memory, less BeforeBytes: a replay,
/// too, has the memory of its start apart.
struct RecordedResident {
  bool IsKnown = false;
  bool IsOfMalloc = false;  ///< the trace has samples of resident parts
  uint64_t BeforeBytes = 0; ///< before the first event; 0: not measured
  uint64_t PeakBytes = 0, PeakNs = 0;
  uint64_t EndBytes = 0; ///< the last sample
  /// The highest sample near the peak of live bytes: the first after it, or
  /// the last before.
  uint64_t LivePeakBytes = 0;
  /// By interval of HostTarget::pointOf(), the highest sample, else the last
  /// before; 0: there is none yet.
  std::vector<uint64_t> PointBytes;
};

/// A process that could be replayed.
struct HostProcess {
  uint32_t Process = 0;
  uint64_t PeakBytes = 0; ///< live, of `host`; 0: not known
  uint64_t Events = 0;    ///< of all heaps
};

struct HostTarget {
  uint32_t Process = 0;
  uint32_t Heap = 0;  ///< `host.malloc`
  uint32_t Scale = 1; ///< every Scale-th block
  uint64_t NumRequests = 0;
  uint64_t NumBlocks = 0; ///< allocations
  uint32_t NumSlots = 0;  ///< most live blocks
  uint32_t NumThreads = 1;
  /// Selected processes with events, the most memory first: the first is
  /// replayed.
  std::vector<HostProcess> Processes;
  // Of the replayed blocks.
  uint64_t PeakBytes = 0, PeakBlocks = 0, PeakNs = 0;
  uint64_t EndBytes = 0;
  /// Blocks of other heaps outside of `host.malloc`, when most was live there.
  uint64_t OtherPeakBytes = 0;
  RecordedResident Recorded;
  uint64_t FirstNs = UINT64_MAX; ///< the first event
  uint64_t EndNs = 1;            ///< of the trace, at least 1
  /// The interval of a time, below wire::MaxReplayPoints.
  uint32_t pointOf(uint64_t TimeNs) const {
    double Share = double(TimeNs) / double(EndNs);
    return Share < 1 ? uint32_t(Share * wire::MaxReplayPoints)
                     : wire::MaxReplayPoints - 1;
  }
  // For readHostRequests().
  /// The last row of a thread that is not the main thread.
  struct ThreadEnd {
    uint64_t Row;
    uint32_t Number; ///< of the commands
  };
  std::vector<ThreadEnd> Ends; ///< by row
  RequestFunctions Functions;
  std::vector<uint32_t> Numbers; ///< by thread: that of the commands
  uint64_t PeakRequest = 0;      ///< requests up to the peak
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_HOSTTARGET_H
