//===- DiffPrinter.cpp - Differences as text and JSON -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DiffPrinter.h"
#include "memkit/Export/StackText.h"
#include "memkit/Support/Table.h"
#include "memkit/Support/ToolMain.h"

using namespace llvm;

namespace memkit {

static ArrayRef<Difference> shownDifferences(const DiffView &V) {
  ArrayRef<Difference> All = V.Report.Differences;
  All = All.take_front(V.Report.Shown);
  return V.Most ? All.take_front(V.Most) : All;
}

/// A value and a change of it, in bytes or allocations.
static std::string valueText(uint64_t Value, bool Bytes) {
  return Bytes ? formatSize(Value) : formatCount(Value);
}
static std::string changeText(uint64_t Before, uint64_t After, bool Bytes) {
  int64_t Change = static_cast<int64_t>(After - Before);
  return Bytes ? formatSizeChange(Change) : formatCountChange(Change);
}

/// A change of bytes with the error of both sides.
static std::string changeText(uint64_t Before, uint64_t After, bool Bytes,
                              double Variance) {
  if (!Bytes || !Variance)
    return changeText(Before, After, Bytes);
  uint64_t Distance = After > Before ? After - Before : Before - After;
  const char *Sign = After > Before ? "+" : After < Before ? "-" : "";
  return Sign + formatEstimate(Distance, standardError(Variance));
}

static void printTotals(raw_ostream &OS, const DiffReport &R, unsigned Width) {
  using Align = Table::Align;
  Table Totals({{"", Align::Left, true},
                {"before", Align::Right},
                {"after", Align::Right},
                {"change", Align::Right}});
  auto Add = [&](const char *Name, uint64_t DiffTotals::*Field, bool Bytes,
                 double SampleVariances::*Error) {
    uint64_t Before = R.Before.*Field, After = R.After.*Field;
    double Variance =
        Error ? R.Before.Variances.*Error + R.After.Variances.*Error : 0;
    Totals.add({Name, valueText(Before, Bytes), valueText(After, Bytes),
                changeText(Before, After, Bytes, Variance)});
  };
  Add("peak", &DiffTotals::PeakBytes, true, &SampleVariances::DomainPeak);
  Add("live at end", &DiffTotals::LiveBytes, true, &SampleVariances::Live);
  Add("allocated", &DiffTotals::AllocatedBytes, true,
      &SampleVariances::Allocated);
  Add("allocations", &DiffTotals::Allocations, false, nullptr);
  Totals.print(OS, Width);
}

static void printDifference(raw_ostream &OS, const DiffView &V,
                            const Difference &D, unsigned Width) {
  auto Print = [&](const char *Sep, Metric M, StringRef What) {
    uint64_t Before = metricOf(D.Before, M), After = metricOf(D.After, M);
    double Variance = varianceOf(D.Before, M, D.SampleBefore) +
                      varianceOf(D.After, M, D.SampleAfter);
    OS << Sep << changeText(Before, After, isInBytes(M), Variance) << ' '
       << What << " (" << valueText(Before, isInBytes(M)) << " -> "
       << valueText(After, isInBytes(M)) << ')';
  };
  OS << '\n';
  Print("", V.By, V.By == Metric::Peak ? "at the peak" : metricName(V.By));
  if (V.By != Metric::Live && D.Before.LiveBytes != D.After.LiveBytes)
    Print(", ", Metric::Live, "live at end");
  OS << ", " << D.Heap << '\n';
  if (D.StackAfter)
    printStack(OS, V.After, *D.StackAfter, 4, Width, isVerbose());
  else
    printStack(OS, V.Before, *D.StackBefore, 4, Width, isVerbose());
}

void printDiff(raw_ostream &OS, const DiffView &V) {
  unsigned Width = outputWidth();
  for (const Trace *T : {&V.Before, &V.After})
    if (uint64_t Lost = T->lostEvents())
      OS << formatCount(Lost) << " events of " << T->name()
         << " lost: differences may be false\n";
  printTotals(OS, V.Report, Width);
  ArrayRef<Difference> Shown = shownDifferences(V);
  for (const Difference &D : Shown)
    printDifference(OS, V, D, Width);
  if (size_t Left = V.Report.Shown - Shown.size())
    OS << '\n' << formatCount(Left) << " more; --top=0 shows all\n";
  if (!V.Report.Shown)
    OS << "\nno differences above the noise\n";
  if (size_t Quiet = V.Report.BelowNoise)
    OS << '\n'
       << formatCount(Quiet)
       << (Quiet == 1 ? " stack differs" : " stacks differ") << " by less than "
       << valueText(V.Report.NoiseValue, isInBytes(V.By)) << " (--noise)\n";
}

/// Of estimates; what is exact has none.
static void writeErrors(json::OStream &J, double Allocated, double Live,
                        StringRef PeakName, double Peak) {
  J.attribute("allocated_stderr_bytes", standardError(Allocated));
  J.attribute("live_stderr_bytes", standardError(Live));
  J.attribute(PeakName, standardError(Peak));
}

static void writeTotals(json::OStream &J, StringRef Side, const DiffTotals &T) {
  J.attributeObject(Side, [&] {
    J.attribute("allocations", T.Allocations);
    J.attribute("frees", T.Frees);
    J.attribute("allocated_bytes", T.AllocatedBytes);
    J.attribute("freed_bytes", T.FreedBytes);
    J.attribute("live_bytes", T.LiveBytes);
    J.attribute("live_blocks", T.LiveBlocks);
    J.attribute("peak_bytes", T.PeakBytes);
    J.attribute("peak_time_ns", T.PeakTimeNs ? json::Value(*T.PeakTimeNs)
                                             : json::Value(nullptr));
    const SampleVariances &V = T.Variances;
    if (V.Allocated)
      writeErrors(J, V.Allocated, V.Live, "peak_stderr_bytes", V.DomainPeak);
  });
}

static void writeMetrics(json::OStream &J, StringRef Side,
                         const StackMetrics &M, uint64_t SampleBytes) {
  J.attributeObject(Side, [&] {
    J.attribute("allocations", M.Allocations);
    J.attribute("frees", M.Frees);
    J.attribute("allocated_bytes", M.AllocatedBytes);
    J.attribute("live_bytes", M.LiveBytes);
    J.attribute("live_blocks", M.LiveBlocks);
    J.attribute("peak_bytes", M.PeakBytes);
    J.attribute("at_peak_bytes", M.AtPeakBytes);
    auto Variance = [&](Metric By) { return varianceOf(M, By, SampleBytes); };
    if (SampleBytes)
      writeErrors(J, Variance(Metric::Allocated), Variance(Metric::Live),
                  "at_peak_stderr_bytes", Variance(Metric::Peak));
  });
}

static void writeDifference(json::OStream &J, const DiffView &V,
                            const Difference &D) {
  J.object([&] {
    J.attribute("heap", jsonText(D.Heap));
    J.attributeBegin("stack");
    if (D.StackAfter)
      writeStack(J, V.After, *D.StackAfter);
    else
      writeStack(J, V.Before, *D.StackBefore);
    J.attributeEnd();
    writeMetrics(J, "before", D.Before, D.SampleBefore);
    writeMetrics(J, "after", D.After, D.SampleAfter);
  });
}

void writeDiffJson(raw_ostream &OS, const DiffView &V) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeObject("totals", [&] {
      writeTotals(J, "before", V.Report.Before);
      writeTotals(J, "after", V.Report.After);
    });
    J.attributeArray("differences", [&] {
      for (const Difference &D : shownDifferences(V))
        writeDifference(J, V, D);
    });
    J.attribute("noise", V.Report.NoiseValue);
    J.attribute("below_noise", V.Report.BelowNoise);
    J.attributeObject("lost", [&] {
      J.attribute("before", V.Before.lostEvents());
      J.attribute("after", V.After.lostEvents());
    });
  });
  OS << '\n';
}

} // namespace memkit
