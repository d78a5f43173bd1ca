// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All measurements of a run over time.

#ifndef MEMKIT_ANALYSIS_RUNTIMELINE_H
#define MEMKIT_ANALYSIS_RUNTIMELINE_H

#include "memkit/Analysis/LiveSeries.h"

namespace memkit {

enum class TimelineKind : uint8_t {
  SpaceLive, ///< live bytes at the ends of intervals; of a memory space
  HeapLive,  ///< the same; of a heap
  SpacePeak, ///< one point: the peak, which may lie within an interval
  HeapPeak,
  Resident, ///< of all selected processes; Id: 0
  /// Of a process, if several processes have samples.
  ProcessResident,
  Used,        ///< bytes of a device, by any user
  Reserved,    ///< bytes that the allocators of a heap hold
  Active,      ///< the part of Reserved in use
  Step,        ///< the numbers of the steps of a process, at their starts
  Mark,        ///< the value is 1
  OutOfMemory, ///< the requested bytes
};

/// A series, with a point for each measurement.
struct TimelineSeries {
  TimelineKind Kind = TimelineKind::SpaceLive;
  /// The memory space (as TotalStats::Id), heap, process or device; of a Mark
  /// the string of its name.
  uint32_t Id = 0;
  std::string Name;                ///< `host live`, `resident`, `mark epoch`
  std::vector<SeriesPoint> Points; ///< times rise
};
/// `bytes`, `step` or `mark`.
llvm::StringRef timelineUnit(TimelineKind K);

/// The series with points, in the order of TimelineKind. With chosen heaps the
/// series of these heaps, the steps and the marks alone. Peaks only if all
/// processes are selected; steps of the first selected process with steps.
/// Reads the marks. Errors: TraceError.
llvm::Expected<std::vector<TimelineSeries>>
readRunTimeline(const SelectedStats &S, const LiveSeries &Live);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_RUNTIMELINE_H
