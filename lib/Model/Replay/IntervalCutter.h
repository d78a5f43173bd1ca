// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the intervals that a recorder would cut.

#ifndef MEMKIT_LIB_MODEL_INTERVALCUTTER_H
#define MEMKIT_LIB_MODEL_INTERVALCUTTER_H

#include "Stats/IntervalBatch.h"
#include "memkit/Model/Replay.h"
#include "memkit/Trace/TraceWriter.h"
#include <map>
#include <vector>

namespace memkit {

/// Observes a replay with ReplayOptions::Intervals and writes its intervals to
/// Out.
class IntervalCutter : public ReplayObserver {
public:
  explicit IntervalCutter(TraceWriter &Out) : Out(Out) {}

  /// Call before the run.
  void start(Replay &R) { Run = &R; }
  uint64_t nextTimeStop() override;
  uint64_t nextTimeStopWith(uint32_t Process, uint64_t TimeNs) override;
  llvm::Error timeStop(uint64_t TimeNs, uint64_t NextNs) override;
  llvm::Error stepBegun(uint32_t Process, uint64_t TimeNs) override;
  llvm::Error processEnds(uint32_t Process, uint64_t TimeNs) override;
  /// Call after the run: writes open intervals. AtNs: a time after the last
  /// event.
  llvm::Error finish(uint64_t AtNs);

protected:
  TraceWriter &Out;
  Replay *Run = nullptr;

private:
  uint32_t numProcesses() const { return Run->limits().Processes; }
  llvm::Error cut(uint32_t Process, uint64_t TimeNs);
  llvm::Error flush(uint32_t Process);
  void push(uint32_t Process);
  uint32_t pop();
  IntervalBatch &batch(uint32_t Process) {
    return Batches.try_emplace(Process, Process).first->second;
  }

  /// The next interval of a process, when it was put into Due.
  struct DueProcess {
    uint64_t TimeNs;
    uint32_t Process;
    auto operator<=>(const DueProcess &) const = default;
  };
  /// A heap, the earliest first, of the processes with events since their last
  /// interval. A trace may have 65,535 processes and as many times.
  std::vector<DueProcess> Due;
  std::vector<bool> IsDue; ///< by process: whether it is in Due
  std::map<uint32_t, IntervalBatch> Batches;
  Interval Cut;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_INTERVALCUTTER_H
