//===- Trend.cpp - Whether a series grows, how fast and how surely -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Trend.h"
#include <algorithm>
#include <cmath>
#include <vector>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Mann-Kendall
//===----------------------------------------------------------------------===//

MannKendall mannKendall(ArrayRef<double> Y) {
  MannKendall M;
  double N = static_cast<double>(Y.size());
  for (size_t J = 1; J < Y.size(); ++J) {
    int Row = 0;
    for (size_t I = 0; I != J; ++I)
      Row += int(Y[J] > Y[I]) - int(Y[J] < Y[I]);
    M.S += Row;
  }
  auto Term = [](double T) { return T * (T - 1) * (2 * T + 5) / 18; };
  M.Variance = Term(N);
  std::vector<double> Sorted(Y.begin(), Y.end());
  std::sort(Sorted.begin(), Sorted.end());
  for (size_t I = 0, E; I < Sorted.size(); I = E) {
    for (E = I + 1; E < Sorted.size() && Sorted[E] == Sorted[I];)
      ++E;
    M.HasTies |= E - I > 1;
    M.Variance -= Term(static_cast<double>(E - I));
  }
  return M;
}

/// The share of the orders of N values that have S or more: the number of
/// orders by their inversions is a product of polynomials.
static double exactTail(size_t N, int64_t S) {
  std::vector<double> Share{1};
  for (size_t K = 2; K <= N; ++K) {
    std::vector<double> Next(Share.size() + K - 1);
    for (size_t I = 0; I != Share.size(); ++I)
      for (size_t J = 0; J != K; ++J)
        Next[I + J] += Share[I] / static_cast<double>(K);
    Share = std::move(Next);
  }
  // S is the number of pairs less twice that of inversions.
  int64_t Most = (static_cast<int64_t>(N * (N - 1) / 2) - S) / 2;
  double Sum = 0;
  for (int64_t I = 0; I <= Most && I < static_cast<int64_t>(Share.size()); ++I)
    Sum += Share[I];
  return Sum;
}

double MannKendall::pValue(size_t Points, double Inflation) const {
  constexpr size_t MostExact = 12;
  if (Variance <= 0)
    return 1;
  if (!HasTies && Inflation <= 1 && Points <= MostExact)
    return exactTail(Points, S);
  double Least = static_cast<double>(S) - 1; // the correction for continuity
  double Z = Least / std::sqrt(Variance * std::max(Inflation, 1.0));
  return 0.5 * std::erfc(Z / std::sqrt(2.0));
}

/// The rising curve that fits Y best, by pooling neighbours that fall.
static std::vector<double> isotonic(ArrayRef<double> Y) {
  struct Pool {
    double Sum;
    size_t Count;
    double mean() const { return Sum / static_cast<double>(Count); }
  };
  std::vector<Pool> Pools;
  for (double V : Y) {
    Pools.push_back({V, 1});
    while (Pools.size() > 1 &&
           Pools[Pools.size() - 2].mean() >= Pools.back().mean()) {
      Pool Last = Pools.back();
      Pools.pop_back();
      Pools.back().Sum += Last.Sum;
      Pools.back().Count += Last.Count;
    }
  }
  std::vector<double> Out;
  for (const Pool &P : Pools)
    Out.insert(Out.end(), P.Count, P.mean());
  return Out;
}

double serialInflation(ArrayRef<double> Y) {
  std::vector<double> Rest = isotonic(Y);
  double Square = 0, Scale = 0;
  for (size_t I = 0; I != Y.size(); ++I) {
    Rest[I] = Y[I] - Rest[I];
    Square += Rest[I] * Rest[I];
    Scale += Y[I] * Y[I];
  }
  // What rounding leaves of a curve that rises is no noise.
  if (Square <= Scale * 1e-18)
    return 1;
  double N = static_cast<double>(Y.size());
  double Certain = 1.96 / std::sqrt(N), Sum = 0;
  for (size_t Lag = 1; Lag < Y.size() / 2; ++Lag) {
    double Product = 0;
    for (size_t I = Lag; I != Y.size(); ++I)
      Product += Rest[I] * Rest[I - Lag];
    double Correlation = Product / Square, Left = N - static_cast<double>(Lag);
    if (std::abs(Correlation) > Certain)
      Sum += Left * (Left - 1) * (Left - 2) * Correlation;
  }
  return std::max(1.0, 1 + 2 * Sum / (N * (N - 1) * (N - 2)));
}

//===----------------------------------------------------------------------===//
// Theil-Sen
//===----------------------------------------------------------------------===//

TheilSen theilSen(ArrayRef<double> Y, double Variance) {
  std::vector<double> Slopes;
  Slopes.reserve(Y.size() * (Y.size() - 1) / 2);
  for (size_t J = 1; J < Y.size(); ++J)
    for (size_t I = 0; I != J; ++I)
      Slopes.push_back((Y[J] - Y[I]) / static_cast<double>(J - I));
  if (Slopes.empty())
    return {};
  auto At = [&](double Rank) {
    double Last = static_cast<double>(Slopes.size() - 1);
    auto Place =
        Slopes.begin() + static_cast<ptrdiff_t>(std::clamp(Rank, 0.0, Last));
    std::nth_element(Slopes.begin(), Place, Slopes.end());
    return *Place;
  };
  double N = static_cast<double>(Slopes.size());
  double Reach = 1.96 * std::sqrt(Variance);
  TheilSen T;
  T.Slope = (At((N - 1) / 2) + At(N / 2)) / 2;
  T.Low = At(std::floor((N - Reach) / 2) - 1);
  T.High = At(std::ceil((N + Reach) / 2));
  return T;
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

namespace {
/// A least-squares fit of values on positions.
struct Fit {
  double N = 0, X = 0, Y = 0, XX = 0, XY = 0, YY = 0;
  void add(double Px, double Py, double Times = 1) {
    N += Times;
    X += Px * Times;
    Y += Py * Times;
    XX += Px * Px * Times;
    XY += Px * Py * Times;
    YY += Py * Py * Times;
  }
  double spread() const { return XX - X * X / N; }
  double slope() const {
    return spread() > 0 ? (XY - X * Y / N) / spread() : 0;
  }
  /// The sum of the squares that the line, or the mean, leaves.
  double rest(bool Line = true) const {
    double All = YY - Y * Y / N;
    double Slope = slope();
    return std::max(0.0, Line ? All - Slope * Slope * spread() : All);
  }
};
} // namespace

static Fit fitOf(ArrayRef<double> Y) {
  Fit F;
  for (size_t I = 0; I != Y.size(); ++I)
    F.add(static_cast<double>(I), Y[I]);
  return F;
}

static double lowest(ArrayRef<double> Y) {
  return *std::min_element(Y.begin(), Y.end());
}

/// Whether Y is rather flat, one step, and flat: something that was made once.
static bool isOneStep(ArrayRef<double> Y, double LineRest) {
  Fit Before, After;
  for (double V : Y)
    After.add(0, V);
  for (size_t I = 0; I + 1 < Y.size(); ++I) {
    Before.add(0, Y[I]);
    After.add(0, Y[I], -1);
    if (Before.rest(false) + After.rest(false) <= LineRest)
      return true;
  }
  return false;
}

/// Whether Y is rather a ramp that stops, with a tenth of the points or more
/// behind its end.
static bool isStopped(ArrayRef<double> Y, double LineRest) {
  constexpr double MuchBetter = 0.5;
  size_t N = Y.size();
  Fit Ramp, All = fitOf(Y);
  double Left = All.Y, LeftSquares = All.YY;
  for (size_t Knot = 0; Knot + (N + 9) / 10 < N; ++Knot) {
    Ramp.add(static_cast<double>(Knot), Y[Knot]);
    Left -= Y[Knot];
    LeftSquares -= Y[Knot] * Y[Knot];
    Fit F = Ramp;
    double Rest = static_cast<double>(N - Knot - 1);
    F.N += Rest;
    F.X += Rest * static_cast<double>(Knot);
    F.XX += Rest * static_cast<double>(Knot * Knot);
    F.Y += Left;
    F.XY += static_cast<double>(Knot) * Left;
    F.YY += LeftSquares;
    if (F.rest() < MuchBetter * LineRest)
      return true;
  }
  return false;
}

std::optional<Trend> findTrend(ArrayRef<double> Values, double Least) {
  constexpr double HalfGoesOn = 0.5, ThirdGoesOn = 0.25, LowsRise = 0.5;
  size_t N = Values.size();
  if (N < MinTrendPoints)
    return std::nullopt;
  // Sums of squares of differences of large numbers would lose all digits.
  std::vector<double> Y(Values.begin(), Values.end());
  for (double &V : Y)
    V -= Values.front();
  ArrayRef<double> All(Y);
  size_t Third = N / 3;
  ArrayRef<double> First = All.take_front(Third), Last = All.take_back(Third);
  Fit Line = fitOf(All);
  double Slope = Line.slope(), Distance = static_cast<double>(N - Third);
  double Rise = fitOf(Last).Y - fitOf(First).Y;
  if (!(Slope > 0) || Rise < Least * static_cast<double>(Third) ||
      lowest(Last) - lowest(First) < LowsRise * Slope * Distance)
    return std::nullopt;
  auto GoesOn = [&](double Of) {
    return fitOf(All.take_back((N + 1) / 2)).slope() >= HalfGoesOn * Of &&
           fitOf(All.take_back((N + 2) / 3)).slope() >= ThirdGoesOn * Of;
  };
  // The digits that a sum of squares has.
  double LineRest = std::max(Line.rest(), Line.YY * 1e-12);
  if (!GoesOn(Slope) || isOneStep(All, LineRest) || isStopped(All, LineRest))
    return std::nullopt;
  MannKendall M = mannKendall(All);
  double Inflation = serialInflation(All);
  Trend T;
  T.Rate = theilSen(All, M.Variance * Inflation);
  T.PValue = M.pValue(N, Inflation);
  if (!(T.Rate.Slope > 0) || !GoesOn(T.Rate.Slope))
    return std::nullopt;
  return T;
}

} // namespace memkit
