// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The course of live bytes.

#include "LevelCourse.h"
#include <algorithm>
#include <vector>

using namespace llvm;

namespace memkit {

namespace {
/// The minimum of bins with a rise, and the maximum part of the rise in one of
/// them: one allocation is no course.
constexpr size_t MinCourseBins = 4;
constexpr double MaxOfOne = 0.6;
/// The largest fall within the rise, and within a time twice as long before, as
/// a part of the rise.
constexpr double MaxFall = 0.25;
/// The end of a rise is lower than its highest point by at most this part of
/// the rise.
constexpr double NearHighest = 0.1;
/// The rise begins below this part of it. It ends where all but NearEnd of it
/// has come, or all but End if live bytes do not fall by End any more.
constexpr double Begin = 0.05, NearEnd = 0.1, End = 0.02;
/// Freed: at most this part of the rise is left.
constexpr double MaxLeft = 0.1;
/// The sum of all rises of a place that rises once, in units of the rise.
constexpr double MaxRisen = 1.5;

/// Live bytes at the begin of the first bin, then at the end of each.
class LevelCurve {
public:
  LevelCurve(ArrayRef<double> Level, double Before) : Y(1, Before) {
    Y.insert(Y.end(), Level.begin(), Level.end());
  }
  size_t last() const { return Y.size() - 1; }
  double operator[](size_t I) const { return Y[I]; }
  /// The last of the lowest points up to To.
  size_t lowest(size_t To) const {
    size_t At = 0;
    for (size_t I = 1; I <= To; ++I)
      At = Y[I] <= Y[At] ? I : At;
    return At;
  }
  size_t highest() const {
    return static_cast<size_t>(std::max_element(Y.begin(), Y.end()) -
                               Y.begin());
  }
  double largestFall(size_t From, size_t To) const;
  size_t longestGap(size_t From, size_t To) const;
  bool isGradual(size_t From, size_t To, double Rise) const;

private:
  std::vector<double> Y;
};
} // namespace

double LevelCurve::largestFall(size_t From, size_t To) const {
  double Largest = 0, High = Y[From];
  for (size_t I = From; I <= To; ++I) {
    High = std::max(High, Y[I]);
    Largest = std::max(Largest, High - Y[I]);
  }
  return Largest;
}

/// The most neighbouring bins within From to To that do not rise.
size_t LevelCurve::longestGap(size_t From, size_t To) const {
  size_t Longest = 0, Gap = 0;
  for (size_t I = From + 1; I <= To; ++I) {
    Gap = Y[I] > Y[I - 1] ? 0 : Gap + 1;
    Longest = std::max(Longest, Gap);
  }
  return Longest;
}

/// Whether the points From to To rise in several parts.
bool LevelCurve::isGradual(size_t From, size_t To, double Rise) const {
  size_t Bins = 0;
  double Most = 0;
  for (size_t I = From + 1; I <= To; ++I) {
    Bins += Y[I] > Y[I - 1];
    Most = std::max(Most, Y[I] - Y[I - 1]);
  }
  return Bins >= MinCourseBins && Most <= MaxOfOne * Rise;
}

std::optional<LevelRise> riseToEnd(ArrayRef<double> Level, double Before) {
  LevelCurve C(Level, Before);
  size_t Last = C.last(), Low = C.lowest(Last);
  double Rise = C[Last] - C[Low];
  if (Rise <= 0 || C[Last] < C[C.highest()] - NearHighest * Rise)
    return std::nullopt;
  size_t From = Low, To = Last;
  for (size_t I = Low; I <= Last; ++I)
    From = C[I] <= C[Low] + Begin * Rise ? I : From;
  size_t From0 = From + 1;
  auto FirstAbove = [&](double Level) {
    To = From0;
    while (To < Last && C[To] < Level)
      ++To;
    return To;
  };
  To = FirstAbove(C[Last] - NearEnd * Rise);
  if (C.largestFall(To, Last) <= End * Rise)
    To = FirstAbove(C[Last] - End * Rise);
  size_t Near = From - std::min(From, 2 * (To - From));
  if (!C.isGradual(From, To, Rise) ||
      C.largestFall(Near, Last) > MaxFall * Rise)
    return std::nullopt;
  return LevelRise{From, To - 1, Rise, C.longestGap(From, To), std::nullopt};
}

std::optional<LevelRise> freedRise(ArrayRef<double> Level, double Before) {
  LevelCurve C(Level, Before);
  size_t High = C.highest(), Low = C.lowest(High);
  double Rise = C[High] - C[Low], Left = C[Low] + MaxLeft * Rise, Risen = 0;
  if (Rise <= 0 || C[C.last()] > Left)
    return std::nullopt;
  size_t From = Low, FreedAt = C.last();
  for (size_t I = Low; I <= High; ++I)
    From = C[I] <= C[Low] + Begin * Rise ? I : From;
  for (size_t I = 1; I <= C.last(); ++I)
    Risen += std::max(0.0, C[I] - C[I - 1]);
  while (FreedAt > High + 1 && C[FreedAt - 1] <= Left)
    --FreedAt;
  if (!C.isGradual(From, High, Rise) || Risen > MaxRisen * Rise ||
      C.largestFall(From, High) > MaxFall * Rise)
    return std::nullopt;
  return LevelRise{From, High - 1, Rise, C.longestGap(From, High), FreedAt - 1};
}

} // namespace memkit
