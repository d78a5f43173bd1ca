// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of totals.

#include "DiffTotals.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace memkit {

std::string valueText(uint64_t Value, bool Bytes) {
  return Bytes ? formatSize(Value) : formatCount(Value);
}
std::string changeText(int64_t Change, bool Bytes) {
  return Bytes ? formatSizeChange(Change) : formatCountChange(Change);
}
std::string changeText(double Change, bool Bytes) {
  const double Max = 9e18;
  return changeText(int64_t(std::round(std::clamp(Change, -Max, Max))), Bytes);
}

std::string changeText(const DiffView &V, uint64_t Before, uint64_t After,
                       bool Bytes, const std::optional<ConfidenceInterval> &I,
                       double Variance) {
  if (Variance && V.Runs.isPair()) {
    uint64_t Distance = After > Before ? After - Before : Before - After;
    const char *Sign = After > Before ? "+" : After < Before ? "-" : "";
    return Sign + formatEstimate(Distance, standardError(Variance));
  }
  if (!I)
    return changeText(int64_t(After - Before), Bytes);
  return changeText(I->Mean, Bytes) + " (" + changeText(I->Low, Bytes) +
         " to " + changeText(I->High, Bytes) + ")";
}

std::string shareText(uint64_t Before, uint64_t After) {
  if (Before == After)
    return "0 %";
  if (!Before)
    return "new";
  double Share = (double(After) - double(Before)) / double(Before);
  constexpr double Many = 10;
  if (Share >= Many)
    return formatv("x{0:F0}", Share + 1).str();
  return formatv("{0}{1:F1} %", After > Before ? "+" : "", Share * 100).str();
}

std::string spacePrefix(const DiffView &V, const SpaceChange &S) {
  bool IsAlone = V.Report.Spaces.size() == 1;
  bool OfHeaps = V.Runs.run(0).selection().isOuterView();
  return IsAlone && (OfHeaps || S.Name == "host") ? "" : S.Name + " ";
}

static void addTotals(std::vector<TotalRow> &To, const DiffView &V,
                      const SpaceChange &Space) {
  const DiffStatsOfRuns &S = Space.Stats;
  std::string Prefix = spacePrefix(V, Space);
  auto Add = [&](const char *Name, uint64_t DiffStats::*Field, bool Bytes,
                 double SampleVariances::*Error) {
    uint64_t Before = S.Before.*Field, After = S.After.*Field;
    double Variance =
        Error ? S.Before.Variances.*Error + S.After.Variances.*Error : 0;
    To.push_back(
        {Prefix + Name, valueText(Before, Bytes), valueText(After, Bytes),
         changeText(V, Before, After, Bytes,
                    changeOfTotal(V.Runs, S, Field, Error, V.Confidence),
                    Variance),
         shareText(Before, After)});
  };
  if (V.IsAtTimePoint) {
    Add("live then", &DiffStats::LiveBytes, true, &SampleVariances::Live);
    Add("blocks", &DiffStats::LiveBlocks, false, nullptr);
    return;
  }
  Add("peak", &DiffStats::PeakBytes, true, &SampleVariances::SpacePeak);
  Add("live at end", &DiffStats::LiveBytes, true, &SampleVariances::Live);
  Add("allocated", &DiffStats::AllocatedBytes, true,
      &SampleVariances::Allocated);
  Add("allocations", &DiffStats::Allocations, false, nullptr);
  if (S.Before.Steps && S.After.Steps) {
    Add("peak of a step", &DiffStats::StepPeakBytes, true, nullptr);
    Add("allocated a step", &DiffStats::StepAllocatedBytes, true, nullptr);
  }
  if (V.By == Metric::Temporary)
    Add("temporary", &DiffStats::Temporaries, false, nullptr);
}

static void addResident(std::vector<TotalRow> &To, const DiffView &V) {
  const DiffDetails &D = V.Report.Details;
  for (const std::optional<NamedChange> &C : {D.ResidentPeak, D.ResidentEnd})
    if (C)
      To.push_back({C->Name, formatSize(C->Before), formatSize(C->After),
                    formatSizeChange(C->change()),
                    shareText(C->Before, C->After)});
}

std::vector<TotalRow> totalRows(const DiffView &V) {
  std::vector<TotalRow> Rows;
  for (const SpaceChange &Space : V.Report.Spaces) {
    addTotals(Rows, V, Space);
    if (Space.Name == "host" && !V.IsAtTimePoint)
      addResident(Rows, V);
  }
  return Rows;
}

} // namespace memkit
