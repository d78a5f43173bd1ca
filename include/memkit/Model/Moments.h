// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in the order of a trace's events.

#ifndef MEMKIT_MODEL_MOMENTS_H
#define MEMKIT_MODEL_MOMENTS_H

#include "memkit/Model/TimePoint.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/BitVector.h"
#include <functional>
#include <optional>

namespace memkit {

class Replay;
class Trace;

/// A place between two events. Before it lie all events before TimeNs, and
/// Events of those from TimeNs on, as the replay orders them.
struct Moment {
  uint64_t TimeNs = 0;
  uint64_t Events = 0;
  /// After all events; what lived when its process ended still counts.
  bool IsEnd = false;
  std::string Text; ///< as it was written
};

/// The part of a run that was chosen.
struct TimeWindow {
  std::optional<Moment> Since; ///< blocks allocated from then on
  std::optional<Moment> Until; ///< and before then; the run ends there
  std::optional<Moment> At;    ///< that live then, as they are then
  /// Where the run ends; null: at its end.
  const Moment *last() const;
  /// Whether a block allocated at AllocatedNs is chosen.
  bool hasAllocationAt(uint64_t AllocatedNs) const;
};

/// Finds P in T. A step is looked for in Processes (by id), the peak is that of
/// the memory space `host`, or, when Heaps is not null, of the one of these
/// heaps that had the highest; `oom` is the last in Processes, and when Heaps
/// is not null in their memory spaces. Reads marks, and for `peak` the events
/// of its moment. The error says what steps and marks there are.
llvm::Expected<Moment> findMoment(const Trace &T, const TimePoint &P,
                                  const llvm::BitVector &Processes,
                                  const llvm::BitVector *Heaps);

/// The memory space that `peak` is about where no heap was chosen: `host`, or
/// where that never had anything the device with the highest peak.
uint32_t peakSpace(const Trace &T);
/// The peak of a memory space (0: `host`, else a device).
llvm::Expected<Moment> findSpacePeak(const Trace &T, uint32_t Space);

/// Of each memory space, by id, the last time that memory could not be had in
/// Processes; its Kind is Oom where there was one. Reads marks.
llvm::Expected<std::vector<Mark>>
findLastOoms(const Trace &T, const llvm::BitVector &Processes);

/// The error of a trace without steps: a RequestError.
llvm::Error noSteps(const Trace &T);

/// Fails when T does not have all its events, unless those around Near, which
/// may be null, are there. Needs: who asks for them, `--x needs`.
llvm::Error requireEvents(const Trace &T, llvm::StringRef Needs,
                          const Moment *Near = nullptr);

/// Runs R, before which startNear() may have been called, up to M; null: to
/// the end.
llvm::Error runTo(Replay &R, const Moment *M);

} // namespace memkit

#endif // MEMKIT_MODEL_MOMENTS_H
