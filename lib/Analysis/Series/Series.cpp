// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value over time.

#include "memkit/Analysis/Series.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

std::vector<uint64_t> highestOf(ArrayRef<SeriesPoint> Points, uint64_t BeginNs,
                                uint64_t EndNs, unsigned Columns) {
  std::vector<uint64_t> Out(Columns);
  if (EndNs <= BeginNs || Columns == 0)
    return Out;
  double PerColumn = double(EndNs - BeginNs) / Columns;
  auto ColumnOf = [&](uint64_t TimeNs) {
    if (TimeNs <= BeginNs)
      return 0u;
    if (TimeNs >= EndNs)
      return Columns - 1;
    return std::min(Columns - 1, static_cast<unsigned>(
                                     double(TimeNs - BeginNs) / PerColumn));
  };
  for (size_t I = 0; I != Points.size(); ++I) {
    uint64_t Until = I + 1 == Points.size() ? EndNs : Points[I + 1].TimeNs;
    unsigned First = ColumnOf(Points[I].TimeNs), Last = ColumnOf(Until);
    // A value that lasts up to the begin of a column is not in the column.
    if (Last > First && double(Until - BeginNs) <= Last * PerColumn)
      --Last;
    for (unsigned At = First; At <= Last; ++At)
      Out[At] = std::max(Out[At], Points[I].Value);
  }
  return Out;
}

namespace {
/// By how much a series rises at a time, modulo 2^64.
struct SeriesStep {
  uint64_t TimeNs;
  uint64_t Rise;
};
} // namespace

std::vector<SeriesPoint> sumOf(ArrayRef<std::vector<SeriesPoint>> Series) {
  std::vector<SeriesStep> Steps;
  for (ArrayRef<SeriesPoint> Points : Series) {
    uint64_t Before = 0;
    for (const SeriesPoint &P : Points) {
      Steps.push_back({P.TimeNs, P.Value - Before});
      Before = P.Value;
    }
  }
  stable_sort(Steps, [](const SeriesStep &A, const SeriesStep &B) {
    return A.TimeNs < B.TimeNs;
  });
  std::vector<SeriesPoint> Out;
  uint64_t Sum = 0;
  for (const SeriesStep &S : Steps) {
    Sum += S.Rise;
    if (!Out.empty() && Out.back().TimeNs == S.TimeNs)
      Out.back().Value = Sum;
    else
      Out.push_back({S.TimeNs, Sum});
  }
  return Out;
}

void addSpike(std::vector<SeriesPoint> &To, uint64_t TimeNs, uint64_t Value) {
  auto At =
      llvm::upper_bound(To, TimeNs, [](uint64_t Ns, const SeriesPoint &P) {
        return Ns < P.TimeNs;
      });
  uint64_t Before = At == To.begin() ? 0 : At[-1].Value;
  if (At == To.end() || At->TimeNs > TimeNs + 1)
    At = To.insert(At, {TimeNs + 1, Before});
  To.insert(At, {TimeNs, Value});
}

} // namespace memkit
