// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident size of a run.

#ifndef MEMKIT_LIB_ANALYSIS_RESIDENT_H
#define MEMKIT_LIB_ANALYSIS_RESIDENT_H

#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/Intervals.h"
#include "memkit/Model/Places.h"

namespace memkit {

/// The bytes of all selected processes together; OfProcesses: MarkSeries::Rss
/// or RssShared. When a process ends, its bytes are gone.
std::vector<SeriesPoint>
residentSeries(const SelectedStats &S,
               llvm::ArrayRef<std::vector<SeriesPoint>> OfProcesses);

/// The process that is the only selected one with samples, else 0.
uint32_t onlySampled(const SelectedStats &S,
                     llvm::ArrayRef<std::vector<SeriesPoint>> OfProcesses);

/// The highest point of Series, if its value at PeakNs is clearly lower and
/// MostBytes, the exact highest, is not clearly above it; else null. At: is set
/// to the higher one of the points around PeakNs.
const SeriesPoint *highestElsewhere(llvm::ArrayRef<SeriesPoint> Series,
                                    uint64_t PeakNs, uint64_t MostBytes,
                                    uint64_t &At);

/// What a process allocates just before a time, by stack.
class BusyStacks {
public:
  /// Process 0: of no process.
  BusyStacks(uint32_t Process, uint64_t TimeNs)
      : Process(Process), TimeNs(TimeNs) {}
  void take(uint32_t Of, const IntervalHead &When,
            llvm::ArrayRef<IntervalChange> Rows);
  /// The line, function or import with the most allocated bytes; none: nothing
  /// of these allocated.
  std::optional<uint32_t> place(const Places &Where) const;

private:
  uint32_t Process;
  uint64_t TimeNs;
  llvm::DenseMap<uint32_t, uint64_t> Bytes; ///< by stack
};

/// The last sample of Series before the program's exit; null: no samples. The
/// ends of the last processes are no samples, nor is a sample much lower than
/// the one before: an exit gives memory back.
const SeriesPoint *lastSample(llvm::ArrayRef<SeriesPoint> Series);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_RESIDENT_H
