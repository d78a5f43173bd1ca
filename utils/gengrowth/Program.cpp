// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A synthetic program, block by block.

#include "Program.h"
#include "../gentrace/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit::gengrowth {

bool Program::grows(uint32_t Process) const {
  return any_of(Sites,
                [&](const Site &S) { return S.Grows && S.Process == Process; });
}

std::vector<double> Program::level(uint32_t Process, bool OfGrowth) const {
  auto Points = static_cast<size_t>(end());
  std::vector<double> Changes(Points + 1), Out;
  auto At = [&](double Time) {
    return static_cast<size_t>(std::clamp(Time, 0.0, end()));
  };
  for (const MadeBlock &B : Blocks) {
    const Site &S = Sites[B.Site];
    if (S.Grows != OfGrowth || S.Process != Process)
      continue;
    Changes[At(B.Birth)] += static_cast<double>(B.Size);
    if (B.Death < end())
      Changes[At(B.Death)] -= static_cast<double>(B.Size);
  }
  double Sum = 0;
  for (size_t I = 0; I != Points; ++I)
    Out.push_back(Sum += Changes[I]);
  return Out;
}

/// The shutdown frees all live blocks in nine tenths of the remaining time.
static void addShutdown(const Program &P, std::vector<TimePoint> &All) {
  std::vector<uint32_t> Left;
  for (uint32_t I = 0; I != P.Blocks.size(); ++I)
    if (P.Blocks[I].Birth < P.ShutdownAt && P.stays(P.Blocks[I]))
      Left.push_back(I);
  stable_sort(Left, [&](uint32_t X, uint32_t Y) {
    return P.Blocks[X].Birth > P.Blocks[Y].Birth;
  });
  if (P.Order == ShutdownOrder::OldestFirst)
    std::reverse(Left.begin(), Left.end());
  gentrace::Random R(Left.size());
  if (P.Order == ShutdownOrder::AnyOrder)
    for (size_t I = Left.size(); I > 1; --I)
      std::swap(Left[I - 1], Left[R.below(I)]);
  double Part = (P.Length - P.ShutdownAt) * 0.9 /
                static_cast<double>(std::max<size_t>(Left.size(), 1));
  for (size_t I = 0; I != Left.size(); ++I)
    All.push_back(
        {P.ShutdownAt + Part * static_cast<double>(I), Left[I], true});
}

std::vector<TimePoint> Program::timePoints() const {
  std::vector<TimePoint> All;
  All.reserve(2 * Blocks.size());
  for (uint32_t I = 0; I != Blocks.size(); ++I) {
    const MadeBlock &B = Blocks[I];
    double End = Sites[B.Site].InShutdown ? Length : end();
    if (B.Birth >= End)
      continue;
    All.push_back({B.Birth, I, false});
    if (B.Death < End)
      All.push_back({B.Death, I, true});
  }
  if (ShutdownAt < Length)
    addShutdown(*this, All);
  stable_sort(All, [](const TimePoint &X, const TimePoint &Y) {
    return X.Time < Y.Time;
  });
  return All;
}

void Program::insertQuiet(double At, double Time) {
  auto Shift = [&](double &Value) {
    if (Value >= At)
      Value += Time;
  };
  for (MadeBlock &B : Blocks) {
    Shift(B.Birth);
    Shift(B.Death);
  }
  for (QuietTime &Q : Quiets) {
    Shift(Q.From);
    Shift(Q.To);
  }
  Shift(ShutdownAt);
  Shift(Length);
  Quiets.push_back({At, At + Time});
  sort(Quiets,
       [](const QuietTime &X, const QuietTime &Y) { return X.From < Y.From; });
}

} // namespace memkit::gengrowth
