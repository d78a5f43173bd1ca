// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident size of a run.

#include "Resident.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

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

uint32_t onlySampled(const SelectedStats &S,
                     llvm::ArrayRef<std::vector<SeriesPoint>> OfProcesses) {
  uint32_t Only = 0;
  for (uint32_t Process = 1; Process < OfProcesses.size(); ++Process) {
    if (!S.selection().hasProcess(Process) || OfProcesses[Process].empty())
      continue;
    if (Only)
      return 0;
    Only = Process;
  }
  return Only;
}

const SeriesPoint *highestElsewhere(llvm::ArrayRef<SeriesPoint> Series,
                                    uint64_t PeakNs, uint64_t MostBytes,
                                    uint64_t &At) {
  if (Series.empty())
    return nullptr;
  auto IsLower = [](const SeriesPoint &A, const SeriesPoint &B) {
    return A.Value < B.Value;
  };
  const SeriesPoint *Most =
      std::max_element(Series.begin(), Series.end(), IsLower);
  // Between two samples the process may have been larger at another moment.
  if (MostBytes > Most->Value + Most->Value / 50)
    return nullptr;
  const SeriesPoint *After = llvm::partition_point(
      Series, [&](const SeriesPoint &P) { return P.TimeNs < PeakNs; });
  At = 0;
  if (After != Series.end())
    At = After->Value;
  if (After != Series.begin())
    At = std::max(At, After[-1].Value);
  return At < Most->Value - Most->Value / 10 ? Most : nullptr;
}

void BusyStacks::take(uint32_t Of, const IntervalHead &When,
                      llvm::ArrayRef<IntervalChange> Rows) {
  constexpr uint64_t BeforeNs = 100'000'000; // between two samples
  if (Of != Process || When.BeginNs > TimeNs || When.EndNs + BeforeNs < TimeNs)
    return;
  for (const IntervalChange &R : Rows)
    Bytes[R.Stack] += R.AllocatedBytes;
}

std::optional<uint32_t> BusyStacks::place(const Places &Where) const {
  std::map<uint32_t, uint64_t> By;
  for (auto [Stack, Of] : Bytes)
    // A category, or a library, is nothing that runs.
    if (uint32_t P = Where.of(Stack);
        Where.place(P).Kind == PlaceKind::Line ||
        Where.place(P).Kind == PlaceKind::Function ||
        Where.place(P).Kind == PlaceKind::Import)
      By[P] += Of;
  std::optional<uint32_t> Best;
  for (auto [Place, Of] : By)
    if (Of && (!Best || Of > By[*Best]))
      Best = Place;
  return Best;
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
