// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds memory that grows, and the word for each growth.
//
// Searches the lifetimes and intervals of a trace for stacks, and nodes of the
// stack tree, whose blocks survive (Survival.h) or whose live bytes rise
// (LevelCourse.h), and looks for evidence that the program repeats itself
// (GrowthEvidence.h). Reads the intervals once, with very many changes twice,
// and replays no event. Memory, beside the memory of IntervalSeries: 80 bytes
// for each (process, heap, stack), 16 bytes for each of at most MaxChanges
// changes, 5 bytes a node, and some 4 KiB for each of at most MaxSeries nodes.

#ifndef MEMKIT_ANALYSIS_GROWTH_H
#define MEMKIT_ANALYSIS_GROWTH_H

#include "memkit/Analysis/GrowthReport.h"
#include "memkit/Analysis/Survival.h"
#include "memkit/Model/Intervals.h"
#include <string>
#include <vector>

namespace memkit {

class GrowthFinder;

/// Finds growth as findGrowth() does, within another pass over the intervals:
/// first start(), then a take() for each call of a whole
/// IntervalSeries::forEach(), then finish(). Belongs to one thread.
class GrowthSearch {
public:
  /// Intervals and S must outlive the object.
  GrowthSearch(IntervalSeries &Intervals, const SelectedStats &S,
               const GrowthOptions &Options);
  ~GrowthSearch();

  /// Reads the lifetimes, but no text and no Trace::view(). Errors: reading
  /// errors.
  llvm::Error start();
  void take(size_t Process, size_t Interval,
            llvm::ArrayRef<IntervalChange> Changes);
  /// Reads the intervals once more if there are more than MaxChanges changes.
  /// Errors: reading errors.
  llvm::Expected<GrowthReport> finish();

private:
  std::unique_ptr<GrowthFinder> Finder;
};

/// Finds growth in the selected processes, except processes that exec replaced.
/// If no heaps were chosen, a stack counts for the inner heaps when most of its
/// bytes lie in their blocks. Errors: reading errors.
llvm::Expected<GrowthReport> findGrowth(IntervalSeries &Intervals,
                                        const SelectedStats &S,
                                        const GrowthOptions &Options);
/// The same, with the usual options.
llvm::Expected<GrowthReport> findGrowth(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROWTH_H
