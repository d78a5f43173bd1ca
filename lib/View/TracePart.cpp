// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a trace that the page looks at.

#include "TracePart.h"

using namespace llvm;

namespace memkit {

Expected<std::unique_ptr<TracePart>> TracePart::create(const SelectedStats &All,
                                                       PartFilter Of) {
  std::unique_ptr<TracePart> P(new TracePart(All, Of));
  if (Of == PartFilter())
    return P;
  Expected<SelectedStats> Own = SelectedStats::create(
      All.trace(), All.selection().narrowedTo(Of.Heap, Of.Process));
  if (!Own)
    return Own.takeError();
  P->Own.emplace(std::move(*Own));
  return P;
}

Expected<const SelectedStats *> TracePart::statsByScope() {
  if (!ByScope) {
    Expected<SelectedStats> Made = SelectedStats::create(
        All.trace(), stats().selection(), StatsBy::ScopePaths);
    if (!Made)
      return Made.takeError();
    ByScope.emplace(std::move(*Made));
  }
  return &*ByScope;
}

Expected<IntervalSeries *> TracePart::intervals() {
  if (!Series)
    if (Error E = IntervalSeries::create(stats()).moveInto(Series))
      return std::move(E);
  return Series.get();
}

} // namespace memkit
