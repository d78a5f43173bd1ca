// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tails of distributions.

#ifndef MEMKIT_LIB_ANALYSIS_DISTRIBUTIONS_H
#define MEMKIT_LIB_ANALYSIS_DISTRIBUTIONS_H

namespace memkit {

/// The regularised incomplete beta function I_X(A, B); A and B above 0.
double incompleteBeta(double A, double B, double X);

/// The chance that a Poisson count of mean Mean is at most Count, which need
/// not be whole: Q(Count + 1, Mean), the regularised incomplete gamma function.
double poissonAtMost(double Count, double Mean);

/// The chance that of N tries, each with chance P, at most Count succeed; Count
/// and N need not be whole.
double binomialAtMost(double Count, double N, double P);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_DISTRIBUTIONS_H
