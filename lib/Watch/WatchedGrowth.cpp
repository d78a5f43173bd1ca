// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What grows in a watched trace, in memleak's words.

#include "WatchedGrowth.h"

using namespace llvm;
using namespace memkit;

Expected<std::vector<WatchedGrowth>> memkit::readGrowth(const WatchedTrace &W,
                                                        const Places &Lines) {
  const Trace &T = W.trace();
  // As memleak chooses: without heaps outside the totals, which the watched
  // trace selects.
  Expected<Selection> Selected = Selection::create(T, W.spec());
  if (!Selected)
    return Selected.takeError();
  Expected<SelectedStats> S = SelectedStats::create(T, std::move(*Selected));
  if (!S)
    return S.takeError();
  Expected<GrowthReport> Report = findGrowth(*S);
  if (!Report)
    return Report.takeError();
  constexpr uint64_t Part = 1000;
  uint64_t MinBytes = T.hostStats().PeakBytes / Part;
  std::vector<WatchedGrowth> Out;
  for (LineGrowth &L : growthLines(*S, Lines, *Report)) {
    if (!L.isGrowing() || L.Rise < MinBytes)
      continue;
    std::string Name = Lines.text(L.Where);
    Out.push_back({std::move(L), std::move(Name)});
  }
  return Out;
}
