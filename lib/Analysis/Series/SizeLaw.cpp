// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How memory follows from a quantity of the program.

#include "memkit/Analysis/SizeLaw.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace llvm;
using namespace memkit;

static double largestQuantity(ArrayRef<MeasuredSize> Runs) {
  double Most = 0;
  for (const MeasuredSize &R : Runs)
    Most = std::max(Most, std::abs(R.Quantity));
  return Most;
}

/// Least squares with so many terms, by the normal equations. Quantities are
/// divided by the largest one, so that powers are of one size.
static SizeLaw fitTerms(ArrayRef<MeasuredSize> Runs, unsigned Terms) {
  constexpr unsigned Max = 3;
  std::array<std::array<double, Max + 1>, Max> M{};
  double Unit = largestQuantity(Runs);
  for (const MeasuredSize &R : Runs) {
    double Q = R.Quantity / Unit;
    std::array<double, Max> Powers{1, Q, Q * Q};
    for (unsigned I = 0; I != Terms; ++I) {
      for (unsigned J = 0; J != Terms; ++J)
        M[I][J] += Powers[I] * Powers[J];
      M[I][Max] += Powers[I] * R.Bytes;
    }
  }
  // Gauss with the largest pivot.
  for (unsigned I = 0; I != Terms; ++I) {
    auto *Pivot = std::max_element(
        M.begin() + I, M.begin() + Terms,
        [I](auto &A, auto &B) { return std::abs(A[I]) < std::abs(B[I]); });
    std::swap(M[I], *Pivot);
    for (unsigned J = 0; J != Terms; ++J) {
      double By = J == I ? 0 : M[J][I] / M[I][I];
      for (unsigned K = 0; K != Max + 1; ++K)
        M[J][K] -= By * M[I][K];
    }
  }
  auto Term = [&](unsigned I) { return I < Terms ? M[I][Max] / M[I][I] : 0; };
  return {Term(0), Term(1) / Unit, Term(2) / (Unit * Unit)};
}

static size_t numQuantities(ArrayRef<MeasuredSize> Runs) {
  std::set<double> Different;
  for (const MeasuredSize &R : Runs)
    Different.insert(R.Quantity);
  return Different.size();
}

double memkit::largestMiss(const SizeLaw &L, ArrayRef<MeasuredSize> Runs) {
  double Most = 0;
  for (const MeasuredSize &R : Runs)
    Most = std::max(Most, std::abs(L.at(R.Quantity) - R.Bytes));
  return Most;
}

SizeLaw memkit::fitLaw(ArrayRef<MeasuredSize> Runs) {
  constexpr double MostMiss = 0.01;
  SizeLaw Line = fitTerms(Runs, 2);
  double Largest = 0;
  for (const MeasuredSize &R : Runs)
    Largest = std::max(Largest, std::abs(R.Bytes));
  if (numQuantities(Runs) < 3 || largestMiss(Line, Runs) <= MostMiss * Largest)
    return Line;
  SizeLaw Parabola = fitTerms(Runs, 3);
  return Parabola.Square > 0 ? Parabola : Line;
}

std::optional<LawRange> memkit::rangeAt(const SizeLaw &L,
                                        ArrayRef<MeasuredSize> Runs, double Q) {
  unsigned Terms = L.Square != 0 ? 3 : 2;
  std::optional<LawRange> Range;
  for (size_t Left = 0; Left != Runs.size(); ++Left) {
    SmallVector<MeasuredSize> Others(Runs);
    Others.erase(Others.begin() + ptrdiff_t(Left));
    if (numQuantities(Others) < Terms)
      continue;
    double Is = fitTerms(Others, Terms).at(Q);
    if (!Range)
      Range = LawRange{L.at(Q), L.at(Q)};
    Range->Low = std::min(Range->Low, Is);
    Range->High = std::max(Range->High, Is);
  }
  return Range;
}

std::optional<double> memkit::largestFitting(const SizeLaw &L,
                                             ArrayRef<MeasuredSize> Runs,
                                             double Bytes) {
  const auto *Over =
      find_if(Runs, [=](const MeasuredSize &R) { return R.Bytes > Bytes; });
  if (Over == Runs.begin())
    return std::nullopt;
  double Fits = std::ceil(std::prev(Over)->Quantity),
         TooMuch = Over == Runs.end() ? AnyFits : Over->Quantity;
  if (Over == Runs.end() && L.at(TooMuch) <= Bytes)
    return AnyFits;
  while (TooMuch - Fits > 1) {
    double Middle = std::floor(Fits + (TooMuch - Fits) / 2);
    (L.at(Middle) <= Bytes ? Fits : TooMuch) = Middle;
  }
  return Fits;
}
