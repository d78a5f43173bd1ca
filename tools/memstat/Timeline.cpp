//===- Timeline.cpp - Heaps over time, drawn ------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/Graph.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Where steps begin, as far as they have room; numbers stand at their marks.
static std::pair<std::string, std::string>
stepMarks(const Facts &F, uint64_t EndNs, unsigned Columns) {
  std::string Marks(Columns, ' '), Numbers(Columns, ' ');
  size_t Free = 0;
  for (const StepTotals &S : F.O.Steps) {
    if (S.Image != F.O.Steps.front().Image || S.BeginNs >= EndNs)
      continue;
    auto At = static_cast<size_t>(double(S.BeginNs) / double(EndNs) * Columns);
    Marks[At] = '|';
    std::string Number = std::to_string(S.Step);
    if (At < Free || At + Number.size() > Columns)
      continue;
    Numbers.replace(At, Number.size(), Number);
    Free = At + Number.size() + 1;
  }
  return {Marks, Numbers};
}

Section timelineSection(const Facts &F, unsigned Width) {
  constexpr unsigned Lines = 3;
  Section Out;
  Out.Title = "Live bytes at the ends of slices";
  Out.Titled = true;
  // Points of time series begin at the first slice's end.
  uint64_t EndNs = F.T.endNs();
  const unsigned Columns = std::max(20u, (Width ? Width : 80) - 2);
  for (const HeapStats &H : F.O.Heaps) {
    if (!H.Heap || H.Heap >= F.O.Live.Heaps.size())
      continue;
    ArrayRef<SeriesPoint> Points = F.O.Live.Heaps[H.Heap];
    std::vector<uint64_t> Values = highestOf(Points, 0, EndNs, Columns);
    uint64_t Highest = *std::max_element(Values.begin(), Values.end());
    if (!Highest)
      continue;
    Out.Drawn.push_back(F.heapName(H.Heap).str() + ", up to " +
                        formatSize(Highest));
    for (const std::string &Line : drawColumns(Values, Lines, F.Ascii))
      Out.Drawn.push_back("  " + Line);
  }
  if (Out.Drawn.empty()) {
    Out.Drawn.push_back("  the trace has no slices");
    return Out;
  }
  if (!F.O.Steps.empty()) {
    auto [Marks, Numbers] = stepMarks(F, EndNs, Columns);
    Out.Drawn.push_back("  " + Marks);
    Out.Drawn.push_back("  " + Numbers);
  }
  std::string End = formatTime(EndNs);
  Out.Drawn.push_back(
      "  0 s" +
      std::string(Columns - std::min<size_t>(Columns, 3 + End.size()), ' ') +
      End);
  return Out;
}

} // namespace memkit
