// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of a trace that need an analysis.

#include "memkit/Analysis/Query.h"

using namespace llvm;

namespace memkit {

Expected<LeakFindings> queryLeaks(const SelectedStats &S,
                                  const LeakOptions &Options,
                                  const Suppressions &Hidden,
                                  bool HidesDesign) {
  Suppressions ByDesign;
  if (HidesDesign)
    ByDesign = Suppressions::byDefault(S.trace());
  return findAllLeaks(S, Options, Hidden, ByDesign);
}

Expected<std::vector<DeviceMap>> queryMap(const Trace &T, SelectionSpec Spec,
                                          uint32_t Only) {
  if (Error E = T.requireReader("a map of a device needs"))
    return std::move(E);
  // For a peak or an out-of-memory event, each device has its own time point.
  MapTimePoint When = MapTimePoint::At;
  if (!Spec.At || Spec.At->K == TimePointSpec::TimePointKind::Peak)
    When = MapTimePoint::Peak;
  else if (Spec.At->K == TimePointSpec::TimePointKind::Oom)
    When = MapTimePoint::Oom;
  if (When != MapTimePoint::At)
    Spec.At.reset();
  Expected<Selection> Sel = Selection::create(T, Spec);
  if (!Sel)
    return Sel.takeError();
  return mapDevices(T, *Sel, When, Only);
}

Expected<SeriesReport> querySeries(const SelectedStats &S, unsigned Columns) {
  Expected<MarkSeries> Marks = readMarkSeries(S.trace());
  if (!Marks)
    return Marks.takeError();
  Expected<LiveSeries> Live = readLiveSeries(S, {});
  if (!Live)
    return Live.takeError();
  return SeriesReport{readHeapCurves(S, *Live, Columns), std::move(Marks->Rss),
                      std::move(Marks->Heaps), std::move(Marks->Devices),
                      std::move(Marks->Recorder)};
}

} // namespace memkit
