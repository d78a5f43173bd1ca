// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tails of distributions.
//
// Series and continued fractions of Abramowitz and Stegun (6.5.29, 6.5.31,
// 26.5.8), the fractions by Lentz's method.

#include "Distributions.h"
#include <algorithm>
#include <cmath>

namespace memkit {

static constexpr double Tiny = 1e-300, Enough = 1e-15;
static constexpr int MaxTerms = 10000;

static double notZero(double V) { return std::fabs(V) < Tiny ? Tiny : V; }

/// The continued fraction of the incomplete beta function.
static double betaFraction(double A, double B, double X) {
  double C = 1, D = 1 / notZero(1 - (A + B) * X / (A + 1)), H = D;
  for (int M = 1; M <= MaxTerms; ++M) {
    double Even = M * (B - M) * X / ((A + 2 * M - 1) * (A + 2 * M));
    D = 1 / notZero(1 + Even * D);
    C = notZero(1 + Even / C);
    H *= D * C;
    double Odd = -(A + M) * (A + B + M) * X / ((A + 2 * M) * (A + 2 * M + 1));
    D = 1 / notZero(1 + Odd * D);
    C = notZero(1 + Odd / C);
    H *= D * C;
    if (std::fabs(D * C - 1) < Enough)
      break;
  }
  return H;
}

double incompleteBeta(double A, double B, double X) {
  if (X <= 0)
    return 0;
  if (X >= 1)
    return 1;
  double Front = std::exp(std::lgamma(A + B) - std::lgamma(A) - std::lgamma(B) +
                          A * std::log(X) + B * std::log1p(-X));
  if (X < (A + 1) / (A + B + 2))
    return Front * betaFraction(A, B, X) / A;
  return 1 - Front * betaFraction(B, A, 1 - X) / B;
}

double poissonAtMost(double Count, double Mean) {
  double A = Count + 1;
  if (Mean <= 0)
    return 1;
  double Front = std::exp(-Mean + A * std::log(Mean) - std::lgamma(A));
  if (Mean < A + 1) {
    double Term = 1 / A, Sum = Term;
    for (int N = 1; N <= MaxTerms && Term > Sum * Enough; ++N)
      Sum += Term *= Mean / (A + N);
    return 1 - Front * Sum;
  }
  double B = Mean + 1 - A, C = 1 / Tiny, D = 1 / notZero(B), H = D;
  for (int N = 1; N <= MaxTerms; ++N) {
    double An = -N * (N - A);
    B += 2;
    D = 1 / notZero(An * D + B);
    C = notZero(B + An / C);
    H *= D * C;
    if (std::fabs(D * C - 1) < Enough)
      break;
  }
  return std::clamp(Front * H, 0.0, 1.0);
}

double binomialAtMost(double Count, double N, double P) {
  if (Count >= N)
    return 1;
  return 1 - incompleteBeta(Count + 1, N - Count, P);
}

} // namespace memkit
