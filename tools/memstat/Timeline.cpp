// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heaps over time, drawn.

#include "Sections.h"
#include "Terminal/Graph.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// A line of marks at the starts of steps, and a line of step numbers below the
/// marks, as far as they fit.
static std::pair<std::string, std::string>
stepMarks(const PageInput &F, uint64_t EndNs, unsigned Columns) {
  std::string Marks(Columns, ' '), Numbers(Columns, ' ');
  size_t Free = 0;
  for (const StepStats &S : F.O.Steps) {
    if (S.Process != F.O.Steps.front().Process || S.BeginNs >= EndNs)
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

std::optional<PageSection> timelineSection(const PageInput &F) {
  constexpr unsigned Lines = 3;
  if (!F.O.Curves)
    return std::nullopt;
  PageSection Out;
  Out.Title = F.O.Curves->FromEvents
                  ? "Live bytes, the most in each column"
                  : "Live bytes at the ends of intervals, and at the peak";
  Out.Titled = true;
  uint64_t EndNs = F.T.endNs();
  size_t Columns = 0;
  for (const HeapOverview &H : F.O.Heaps) {
    // Of the memory spaces only the host has a curve.
    ArrayRef<uint64_t> Values = F.O.Curves->Highest[H.Heap];
    if (Values.empty() || (!H.Heap && H.Space))
      continue;
    uint64_t Highest = *std::max_element(Values.begin(), Values.end());
    if (!Highest)
      continue;
    Columns = Values.size();
    Out.Drawn.push_back(heapOrSpace(F, H) + ", up to " + formatSize(Highest));
    for (const std::string &Line : drawColumns(Values, Lines, F.Ascii))
      Out.Drawn.push_back("  " + Line);
  }
  if (Out.Drawn.empty()) {
    Out.Drawn.push_back("  the trace has no intervals");
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
