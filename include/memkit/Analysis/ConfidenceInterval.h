// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Confidence intervals of differences between few runs.

#ifndef MEMKIT_ANALYSIS_CONFIDENCEINTERVAL_H
#define MEMKIT_ANALYSIS_CONFIDENCEINTERVAL_H

#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace memkit {

/// A difference and its confidence interval, in the unit of the values.
struct ConfidenceInterval {
  double Mean = 0;
  double Low = 0;
  double High = 0;
  /// Whether the interval includes zero.
  bool hasZero() const { return Low <= 0 && High >= 0; }
};

/// The quantile P (0.5 to 1) of Student's t with Freedom degrees (at least 1;
/// need not be whole). Off by less than 1e-9 of its value up to P = 0.9999.
double studentQuantile(double P, double Freedom);

/// The difference of the means, After less Before, with Welch's interval: the
/// two groups may have different variances. A group with a single value gets
/// the variance of the other group. Nothing when both groups have a single
/// value, or a group is empty. Confidence: 0 to 1.
std::optional<ConfidenceInterval>
differenceOfMeans(llvm::ArrayRef<double> Before, llvm::ArrayRef<double> After,
                  double Confidence);

/// The difference of two estimates with normal errors; Variance is the sum of
/// both variances.
ConfidenceInterval differenceOfEstimates(double Before, double After,
                                         double Variance, double Confidence);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_CONFIDENCEINTERVAL_H
