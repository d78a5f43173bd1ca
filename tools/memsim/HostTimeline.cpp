// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the resident memory of replays over time.

#include "HostText.h"
#include "Terminal/Graph.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

ArrayRef<uint64_t> memkit::pointsOf(const HostResult &R) {
  if (!R.Failure.empty())
    return {};
  return ArrayRef(R.Outcome.PointBytes).take_front(R.Outcome.NumPoints);
}

static uint64_t highestPoint(ArrayRef<uint64_t> Points) {
  return Points.empty() ? 0 : *std::max_element(Points.begin(), Points.end());
}

/// All curves have one scale, so their heights compare.
void memkit::printHostTimeline(SimPage &P, const HostView &V, bool Ascii) {
  constexpr unsigned Lines = 4;
  ArrayRef<uint64_t> Was;
  if (V.Target.Recorded.IsKnown && V.Target.Scale == 1)
    Was = V.Target.Recorded.PointBytes;
  uint64_t Top = highestPoint(Was);
  for (const HostResult &R : V.Results)
    Top = std::max(Top, highestPoint(pointsOf(R)));
  if (!Top)
    return;
  raw_ostream &Said = P.text();
  Said << "\nresident over time, up to " << formatSize(Top)
       << ", the most in each column";
  if (!Was.empty())
    Said << (Ascii ? "; - recorded, where more" : "; ─ recorded, where more");
  Said << '\n';
  std::string Drawn;
  raw_string_ostream OS(Drawn);
  for (auto &&[A, R] : zip_equal(V.Allocators, V.Results)) {
    ArrayRef<uint64_t> Points = pointsOf(R);
    if (Points.size() != wire::MaxReplayPoints)
      continue;
    OS << A.Name << '\n';
    for (const std::string &Line : drawCurve(Points, Was, Top, Lines, Ascii))
      OS << "  " << StringRef(Line).rtrim() << '\n';
  }
  std::string End = formatTime(V.Target.EndNs);
  OS << "  0 s";
  if (End.size() + 3 < wire::MaxReplayPoints)
    OS.indent(unsigned(wire::MaxReplayPoints - 3 - End.size()));
  OS << End << '\n';
  P.drawing(Drawn);
}
