//===- Trend.h - Whether a series grows, how fast and how surely -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statistics of a series of values at equal distances. Nothing here assumes
// that noise is normal. What takes time in proportion to the square of the
// points is exact: callers thin longer series to MaxTrendPoints first.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_ANALYSIS_TREND_H
#define MEMKIT_ANALYSIS_TREND_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace memkit {

/// Fewer points say nothing; more are thinned by who asks.
inline constexpr size_t MinTrendPoints = 6, MaxTrendPoints = 256;

/// Kendall's S of a series with its order, and the variance that S has when
/// there is no trend.
struct MannKendall {
  int64_t S = 0;       ///< rising pairs less falling ones
  double Variance = 0; ///< ties taken into account; 0: all values are equal
  bool HasTies = false;
  /// The chance of such an S or a higher one without a trend. Variance is
  /// multiplied with Inflation, at least 1, for values that depend on those
  /// before. Exact for up to 12 points without ties and inflation.
  double pValue(size_t Points, double Inflation = 1) const;
};
MannKendall mannKendall(llvm::ArrayRef<double> Y);

/// By how much the variance of S is larger than if each value were
/// independent, after Hamed and Rao (1998), from the autocorrelation of what
/// remains of Y when the rising curve that fits best (isotonic regression) is
/// taken off. At least 1.
double serialInflation(llvm::ArrayRef<double> Y);

/// The median of the slopes of all pairs, for each point, and the interval that
/// has the true one with a chance of 95 %, after Sen (1968).
struct TheilSen {
  double Slope = 0;
  double Low = 0, High = 0;
};
/// Variance: of S, inflated.
TheilSen theilSen(llvm::ArrayRef<double> Y, double Variance);

/// A series that grows and goes on growing.
struct Trend {
  TheilSen Rate; ///< for each point
  double PValue = 1;
};

/// What makes a series one that grows (docs/CommandGuide/memleak.md says why):
/// its means of thirds rise by Least or more, its last third and half go on
/// rising, its lows rise with it, a line fits it better than one step does, and
/// not much worse than a ramp that stops. Then its trend, whose p-value is not
/// judged here.
std::optional<Trend> findTrend(llvm::ArrayRef<double> Y, double Least);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_TREND_H
