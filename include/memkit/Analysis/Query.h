// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace that need an analysis.
//
// As Model/Query.h: one function for each question, a plain struct as the
// answer. queryOverview() (Overview.h) and queryDifferences() (Diff.h) belong
// here, too. Where marks, intervals or events are read, a trace that grows is
// an error: they are in no stream that was read.

#ifndef MEMKIT_ANALYSIS_QUERY_H
#define MEMKIT_ANALYSIS_QUERY_H

#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Analysis/Diff.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Analysis/LeakFindings.h"
#include "memkit/Analysis/Overview.h"

namespace memkit {

/// What S selects that was never freed, grows or outlives its siblings, as
/// Options says. What Hidden matches is counted and left out, and likewise,
/// with HidesDesign, what the loader, libc and the interpreter keep by design.
/// keepNew() leaves out what another trace has, too. Reads TP_All.
llvm::Expected<LeakFindings> queryLeaks(const SelectedStats &S,
                                        const LeakOptions &Options = {},
                                        const Suppressions &Hidden = {},
                                        bool HidesDesign = true);

/// What lies where on the devices of the heaps that Spec chooses: at Spec.At,
/// or without it at each device's own peak; `oom` is each device's own last
/// failure. Reads TP_Totals and TP_Stacks.
llvm::Expected<std::vector<DeviceMap>> queryMap(const Trace &T,
                                                SelectionSpec Spec);

/// What was measured over the run; times rise in each list.
struct SeriesReport {
  /// The most that lived in each of so many equal columns of the run.
  HeapCurves Live;
  std::vector<std::vector<SeriesPoint>> Rss;        ///< by process; [0] empty
  std::vector<std::vector<ReservedPoint>> Reserved; ///< by heap; [0] empty
  std::vector<std::vector<UsedPoint>> Used;         ///< by device; [0] empty
};
/// Columns: of Live. Reads intervals and marks, and of a short run the events.
llvm::Expected<SeriesReport> querySeries(const SelectedStats &S,
                                         unsigned Columns);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_QUERY_H
