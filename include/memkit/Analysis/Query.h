// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of a trace that need an analysis.
//
// As in Model/Query.h: one function for each question, a plain struct as the
// answer. queryOverview() (Overview.h) and queryDifferences() (Diff.h) belong
// here, too. A query that reads marks, intervals or events returns an error for
// a growing trace, because a growing trace drops these sections.

#ifndef MEMKIT_ANALYSIS_QUERY_H
#define MEMKIT_ANALYSIS_QUERY_H

#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Analysis/Diff.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Analysis/LeakFindings.h"
#include "memkit/Analysis/Overview.h"

namespace memkit {

/// Blocks of S that were never freed, grow or outlive their siblings
/// (Options.Kinds). Findings that Hidden matches are counted and left out; with
/// HidesDesign also memory that the loader, libc and the interpreter keep by
/// design. keepNew() leaves out findings of another trace. Reads TP_All.
llvm::Expected<LeakFindings> queryLeaks(const SelectedStats &S,
                                        const LeakOptions &Options = {},
                                        const Suppressions &Hidden = {},
                                        bool HidesDesign = true);

/// The address maps of the devices with heaps of Spec, at Spec.At. Without
/// Spec.At, and for `peak` and `oom`, each device has its own time point. Only:
/// the id of one device; 0: of all. Reads TP_Totals and TP_Stacks.
llvm::Expected<std::vector<DeviceMap>>
queryMap(const Trace &T, SelectionSpec Spec, uint32_t Only = 0);

/// Measurements over the run; times rise in each list.
struct SeriesReport {
  /// The highest live bytes in each of Columns equal parts of the run.
  HeapCurves Live;
  std::vector<std::vector<SeriesPoint>> Rss;        ///< by process; [0] empty
  std::vector<std::vector<ReservedPoint>> Reserved; ///< by heap; [0] empty
  std::vector<std::vector<UsedPoint>> Used;         ///< by device; [0] empty
  std::vector<RecorderPoint> Recorder;
};
/// Columns: of Live. Reads intervals and marks; of a short run also the events.
llvm::Expected<SeriesReport> querySeries(const SelectedStats &S,
                                         unsigned Columns);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_QUERY_H
