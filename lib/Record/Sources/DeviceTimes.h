// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the work of CUDA's devices, and its time.
//
// A launch is kept with the scopes and the stack of its thread until the work
// is reported, which CUPTI does in any order and by any thread. The last
// MaxLaunches launches of a process are kept. Work whose launch is not among
// them counts as untied.

#ifndef MEMKIT_LIB_RECORD_DEVICETIMES_H
#define MEMKIT_LIB_RECORD_DEVICETIMES_H

#include "Shared/RecordOrigin.h"
#include "Wire/DeviceTimeRecords.h"
#include <vector>

namespace memkit {

class CudaNumbers;
class EventSink;
class ProcessScopes;
struct DeviceTimeStats;

/// Belongs to the recorder's thread.
class DeviceTimes {
public:
  DeviceTimes(EventSink &Sink, ProcessScopes &Scopes, CudaNumbers &Numbers)
      : Sink(Sink), Scopes(Scopes), Numbers(Numbers) {}

  void take(const wire::DeviceLaunchRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceWorkDetailRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceWorkRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceClockRecord &Rec, RecordOrigin From);
  void take(const wire::DeviceWorkLostRecord &Rec, RecordOrigin From);

  static constexpr size_t MaxLaunches = 1 << 18;

private:
  struct LaunchOfWork {
    uint32_t Correlation = 0; ///< 0: the place is free
    uint32_t Stack = 0;       ///< the trace's
    uint32_t ScopePath = 0;
    uint32_t Scopes = 0; ///< LaunchScopes' number
  };
  /// What a ring has said for its next work records.
  struct RingWork {
    wire::DeviceWorkDetailRecord Detail = {};
    uint64_t DeviceNs = 0; ///< of CUPTI's clock at NowNs; 0: not known
    uint64_t NowNs = 0;
  };
  RingWork &ring(uint32_t Ring);
  const LaunchOfWork *findLaunch(uint32_t Correlation) const;

  EventSink &Sink;
  ProcessScopes &Scopes;
  CudaNumbers &Numbers;
  /// By the low bits of the correlation id; empty before the first launch.
  std::vector<LaunchOfWork> Launches;
  std::vector<RingWork> Rings;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICETIMES_H
