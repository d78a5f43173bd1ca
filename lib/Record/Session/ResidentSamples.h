// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of what the resident memory of processes consists of.

#ifndef MEMKIT_LIB_RECORD_SESSION_RESIDENTSAMPLES_H
#define MEMKIT_LIB_RECORD_SESSION_RESIDENTSAMPLES_H

#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include "Session/ResidentBudget.h"
#include "Shared/SideThread.h"
#include "Sources/ResidentWalk.h"
#include <optional>

namespace memkit {

/// Finds out from outside what the resident memory of a process consists of,
/// one process at a time, in three steps: a thread reads the process's pages;
/// the recorder's thread adds the live blocks, some of them in each pass; the
/// thread sums up. The program is never stopped.
///
/// A sample is due ten times as rarely as one of RSS, and when the RSS is well
/// above that of the last sample, so that the peak is known. All samples take
/// about a two-hundredth of a processor, and a trace has some hundreds.
///
/// Samples out of turn, from as much time again: at an alert; where a rise
/// ends; at the steps of O.ResidentSteps; when a process exits. The exit waits
/// for the sample, so a process is told before how long to wait: at most a
/// two-hundredth of its life, or a second with O.ResidentAtEnd. exec, and
/// signals that kill, have no such sample.
class ResidentSamples {
public:
  /// RecorderTag: name of memrec's memfds.
  ResidentSamples(const RecordOptions &O, Recording &R, ChildList &Children,
                  std::string RecorderTag)
      : O(O), R(R), Children(Children), Tag(std::move(RecorderTag)) {}

  /// Once a pass: starts a sample if one is due, or goes on with it.
  void pass(uint64_t Now);
  /// Wants a sample of a process soon. Why: of ResidentFlags.
  void ask(uint32_t Process, uint64_t Why);
  /// Writes what all samples took to the trace. RunNs: time of the recording.
  void finish(uint64_t RunNs);
  /// Warns of steps that never came.
  void warnOfSteps() const;
  /// Whether a sample is being taken.
  bool isBusy() const { return Now != Phase::Idle; }
  /// Whether the exit of a process waits for a sample.
  bool isAwaited() const { return IsAwaited; }

private:
  enum class Phase { Idle, Reading, Walking, Summing };
  void noteRequests();
  bool mayTake(uint64_t Why, uint64_t Now) const;
  ChildProcess *nextAsked(uint64_t Now);
  ChildProcess *next(uint64_t Now);
  bool isDue(const ChildProcess &P, uint64_t Now) const;
  void start(ChildProcess &P, uint64_t Now);
  void beginWalk();
  void walk();
  void addPinned(const DeviceTable &Of);
  void addOwn(const wire::Control &C);
  void write();
  void addPieces(uint32_t Process, uint64_t Now);
  void end();
  void letWait(ChildProcess &P);
  void letExit(ChildProcess &P);

  const RecordOptions &O;
  Recording &R;
  ChildList &Children;
  std::string Tag;
  Phase Now = Phase::Idle;
  uint32_t Process = 0; ///< of the sample
  uint64_t BegunNs = 0; ///< when the sample began
  uint64_t BegunTsc = 0;
  uint64_t Why = 0;    ///< ResidentFlags
  size_t NextStep = 0; ///< in O.ResidentSteps
  bool IsAwaited = false;
  bool Inherits = false;
  std::optional<ResidentPages> Pages; ///< of the thread while Reading
  std::optional<ResidentWalk> Walk;   ///< of the thread while Summing
  unsigned Shard = 0;                 ///< the next one to walk
  uint64_t TookNs = 0;                ///< processor time of the sample
  ResidentBudget Budget;
  /// Last, so that the thread has ended before its data end.
  SideThread Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_RESIDENTSAMPLES_H
