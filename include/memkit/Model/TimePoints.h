// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds time points in the order of a trace's events.

#ifndef MEMKIT_MODEL_TIMEPOINTS_H
#define MEMKIT_MODEL_TIMEPOINTS_H

#include "memkit/Model/TimePointSpec.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/BitVector.h"
#include <functional>
#include <optional>

namespace memkit {

class Replay;
class Trace;

/// A position between two events, in the order of replay: after all events
/// before TimeNs and the first Events events from TimeNs on.
struct TimePoint {
  uint64_t TimeNs = 0;
  uint64_t Events = 0;
  /// After all events; blocks live at the end of their process still count.
  bool IsEnd = false;
  std::string Text; ///< the user's text
};

/// The chosen part of a run.
struct TimeWindow {
  std::optional<TimePoint> Since; ///< only blocks allocated from Since on
  /// Only blocks allocated before Until; the run ends at Until.
  std::optional<TimePoint> Until;
  std::optional<TimePoint> At; ///< only blocks live at At, in their state at At
  /// The time point that ends the run; null: the run's own end.
  const TimePoint *last() const;
  /// Whether a block allocated at AllocatedNs is chosen.
  bool hasAllocationAt(uint64_t AllocatedNs) const;
};

/// Finds the time point P in T. Searches a step or mark in Processes (by id).
/// `peak` is the peak of peakSpace(), or, with Heaps, of the heap in Heaps with
/// the highest peak. `oom` is the last out-of-memory event in Processes and,
/// with Heaps, in the memory spaces of Heaps. Reads marks, and for `peak` the
/// events of the time point. The error lists the steps and marks of the trace.
llvm::Expected<TimePoint> findTimePoint(const Trace &T, const TimePointSpec &P,
                                        const llvm::BitVector &Processes,
                                        const llvm::BitVector *Heaps);

/// The memory space of `peak` without chosen heaps: `host`, or the device with
/// the highest peak if `host` never had memory.
uint32_t peakSpace(const Trace &T);
/// The peak of a memory space (0: `host`, else a device).
llvm::Expected<TimePoint> findSpacePeak(const Trace &T, uint32_t Space);

/// The last out-of-memory event of each memory space, by id, in Processes. Kind
/// is not Oom where no event was recorded. Reads marks.
llvm::Expected<std::vector<Mark>>
findLastOoms(const Trace &T, const llvm::BitVector &Processes);

/// The error of a trace without steps: a RequestError.
llvm::Error noSteps(const Trace &T);

/// Fails if T lacks events. With Near, only the events around Near must be
/// present. Needs: the start of the error message, `--x needs`.
llvm::Error requireEvents(const Trace &T, llvm::StringRef Needs,
                          const TimePoint *Near = nullptr);

/// Runs R up to M; null: to the end. The caller may call R.startNear() before.
llvm::Error runTo(Replay &R, const TimePoint *M);

} // namespace memkit

#endif // MEMKIT_MODEL_TIMEPOINTS_H
