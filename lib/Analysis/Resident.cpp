// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident size of a run.

#include "Resident.h"

namespace memkit {

std::vector<SeriesPoint>
residentSeries(const SelectedStats &S,
               llvm::ArrayRef<std::vector<SeriesPoint>> OfProcesses) {
  std::vector<std::vector<SeriesPoint>> All;
  for (uint32_t Process = 1; Process < OfProcesses.size(); ++Process) {
    if (!S.selection().hasProcess(Process))
      continue;
    All.push_back(OfProcesses[Process]);
    const ProcessStats *Stats = S.trace().processStats(Process);
    if (!Stats || !Stats->Ended)
      continue;
    // A sample may be noted after the end that was being sampled.
    while (!All.back().empty() && All.back().back().TimeNs > Stats->EndNs)
      All.back().pop_back();
    All.back().push_back({Stats->EndNs + 1, 0});
  }
  return sumOf(All);
}

const SeriesPoint *lastSample(llvm::ArrayRef<SeriesPoint> Series) {
  while (!Series.empty() && !Series.back().Value)
    Series = Series.drop_back();
  if (Series.empty())
    return nullptr;
  constexpr double Falls = 0.9;
  const SeriesPoint *Last = &Series.back();
  if (Series.size() > 1 && double(Last->Value) < Falls * double(Last[-1].Value))
    --Last;
  return Last;
}

} // namespace memkit
