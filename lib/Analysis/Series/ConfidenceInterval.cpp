// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Confidence intervals for means of few runs.

#include "memkit/Analysis/ConfidenceInterval.h"
#include "Distributions.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace memkit {

/// The probability of a value above T; T is not negative.
static double studentTail(double T, double Freedom) {
  return incompleteBeta(Freedom / 2, 0.5, Freedom / (Freedom + T * T)) / 2;
}

double studentQuantile(double P, double Freedom) {
  double Tail = 1 - P, Low = 0, High = 1;
  while (studentTail(High, Freedom) > Tail && High < 1e15)
    Low = High, High *= 2;
  for (int I = 0; I != 100 && High - Low > 1e-12 * High; ++I) {
    double Middle = (Low + High) / 2;
    (studentTail(Middle, Freedom) > Tail ? Low : High) = Middle;
  }
  return (Low + High) / 2;
}

namespace {
struct SampleGroup {
  explicit SampleGroup(ArrayRef<double> Values) : Size(Values.size()) {
    for (double V : Values)
      Mean += V / Size;
    for (double V : Values)
      Squares += (V - Mean) * (V - Mean);
  }
  double Size;
  double Mean = 0;
  double Squares = 0; ///< sum of squared differences from the mean
};
} // namespace

std::optional<ConfidenceInterval> differenceOfMeans(ArrayRef<double> Before,
                                                    ArrayRef<double> After,
                                                    double Confidence) {
  if (Before.empty() || After.empty() || Before.size() + After.size() < 3)
    return std::nullopt;
  SampleGroup B(Before), A(After);
  double Variance, Freedom;
  if (B.Size == 1 || A.Size == 1) {
    Freedom = B.Size + A.Size - 2;
    Variance = (B.Squares + A.Squares) / Freedom * (1 / B.Size + 1 / A.Size);
  } else {
    double OfB = B.Squares / (B.Size - 1) / B.Size;
    double OfA = A.Squares / (A.Size - 1) / A.Size;
    Variance = OfB + OfA;
    // Welch and Satterthwaite: between the size of the smaller group and the
    // sum of both.
    double Below = OfB * OfB / (B.Size - 1) + OfA * OfA / (A.Size - 1);
    Freedom = Below > 0 ? Variance * Variance / Below : 1;
    if (!std::isfinite(Freedom) || Freedom < 1)
      Freedom = 1;
  }
  double Difference = A.Mean - B.Mean;
  double Half = studentQuantile((1 + Confidence) / 2, Freedom) *
                std::sqrt(std::max(Variance, 0.0));
  return ConfidenceInterval{Difference, Difference - Half, Difference + Half};
}

ConfidenceInterval differenceOfEstimates(double Before, double After,
                                         double Variance, double Confidence) {
  const double Many = 1e6;
  double Half =
      studentQuantile((1 + Confidence) / 2, Many) * std::sqrt(Variance);
  double Difference = After - Before;
  return {Difference, Difference - Half, Difference + Half};
}

} // namespace memkit
