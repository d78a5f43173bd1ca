// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times of events.

#ifndef MEMKIT_LIB_RECORD_EVENTTIMES_H
#define MEMKIT_LIB_RECORD_EVENTTIMES_H

#include "Shared/TscClock.h"
#include "memkit/Trace/Sections.h"
#include <algorithm>

namespace memkit {

/// Gives events their times, so that (time, process, row) orders the events of
/// the trace exactly as the recorder has counted them: a reader that replays
/// the events finds the same peaks.
///
/// Ticks are in TimeUnitNs. Belongs to the recorder's thread.
class EventTimes {
public:
  explicit EventTimes(const TscClock &Clock) : Clock(Clock) {}

  TscClock Clock;

  /// The tick of the next event, an event of Process: the tick of clock Tsc, or
  /// a later tick that keeps the order.
  uint64_t tickAt(uint64_t Tsc, uint32_t Process) const {
    uint64_t Tick = Clock.toNs(Tsc) / TimeUnitNs;
    return Tick > LastTick ? Tick : LastTick + (Process < LastProcess);
  }
  /// Notes an event of Process at a tick from tickAt().
  void setTick(uint64_t Tick, uint32_t Process) {
    LastTick = Tick;
    LastProcess = Process;
  }
  /// The ticks of a run of events, for loops: the same ticks as from tickAt()
  /// and setTick(), without a store for each event.
  class TickRun {
  public:
    /// Process: of the events, until setProcess().
    TickRun(const EventTimes &Times, uint32_t Process)
        : Clock(&Times.Clock), LastTick(Times.LastTick),
          LastProcess(Times.LastProcess), Process(Process) {}
    /// As tickAt().
    uint64_t at(uint64_t Tsc) const {
      uint64_t Tick = Clock->toNs(Tsc) / TimeUnitNs;
      return Tick > LastTick ? Tick : LastTick + (Process < LastProcess);
    }
    /// As setTick().
    void set(uint64_t Tick) {
      LastTick = Tick;
      LastProcess = Process;
    }
    /// The next events are of process Of.
    void setProcess(uint32_t Of) { Process = Of; }

  private:
    friend class EventTimes;
    const TscClock *Clock;
    uint64_t LastTick;
    uint32_t LastProcess;
    uint32_t Process;
  };
  /// Notes the events of a run.
  void setTick(const TickRun &Run) {
    LastTick = Run.LastTick;
    LastProcess = Run.LastProcess;
  }
  uint64_t nextTick(uint64_t Tsc, uint32_t Process) {
    uint64_t Tick = tickAt(Tsc, Process);
    setTick(Tick, Process);
    return Tick;
  }
  /// All later events come after Ns.
  void setBoundary(uint64_t Ns) {
    // Events at the boundary itself may be of any process.
    if (Ns > LastTick * TimeUnitNs)
      setTick(Ns / TimeUnitNs, 0);
  }
  /// The time of a mark at clock Tsc, not before the last event.
  uint64_t markNs(uint64_t Tsc) const {
    return std::max(Clock.toNs(Tsc), lastNs());
  }
  /// The time of the last event.
  uint64_t lastNs() const { return LastTick * TimeUnitNs; }
  uint64_t nowNs() const { return Clock.toNs(readTsc()); }

private:
  uint64_t LastTick = 0;
  uint32_t LastProcess = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_EVENTTIMES_H
