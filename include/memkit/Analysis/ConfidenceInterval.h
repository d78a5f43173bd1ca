// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far means of few runs may be off.

#ifndef MEMKIT_ANALYSIS_CONFIDENCEINTERVAL_H
#define MEMKIT_ANALYSIS_CONFIDENCEINTERVAL_H

#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace memkit {

/// A difference and where it lies with some confidence, in the unit of what was
/// measured.
struct ConfidenceInterval {
  double Mean = 0;
  double Low = 0;
  double High = 0;
  /// Whether no difference at all is among what it allows.
  bool hasZero() const { return Low <= 0 && High >= 0; }
};

/// The quantile P (0.5 to 1) of Student's t with Freedom degrees (at least 1;
/// need not be whole). Off by less than 1e-9 of its value up to P = 0.9999.
double studentQuantile(double P, double Freedom);

/// The difference of the means, After less Before, with Welch's interval: the
/// groups may vary differently. Where one of them has a single value it is
/// taken to vary as the other does. None when both have one, or one has none.
/// Confidence: 0 to 1.
std::optional<ConfidenceInterval>
differenceOfMeans(llvm::ArrayRef<double> Before, llvm::ArrayRef<double> After,
                  double Confidence);

/// The difference of two estimates, whose errors are Normal, with Variance in
/// all.
ConfidenceInterval differenceOfEstimates(double Before, double After,
                                         double Variance, double Confidence);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_CONFIDENCEINTERVAL_H
