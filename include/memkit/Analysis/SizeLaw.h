// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How memory follows from a quantity of the program: a batch, a number of rows.

#ifndef MEMKIT_ANALYSIS_SIZELAW_H
#define MEMKIT_ANALYSIS_SIZELAW_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace memkit {

/// A run: what was chosen, and the bytes that came of it.
struct MeasuredSize {
  double Quantity = 0, Bytes = 0;
};

/// Bytes = Constant + Linear * Q + Square * Q * Q.
struct SizeLaw {
  double Constant = 0, Linear = 0, Square = 0;

  double at(double Q) const { return Constant + Q * (Linear + Q * Square); }
};

/// The law of runs with at least two different quantities: a straight line, by
/// least squares; or with three quantities and more, where the line misses a
/// run by more than 1 % of the largest, a parabola, if it opens upwards: more
/// of a quantity does not take less memory.
SizeLaw fitLaw(llvm::ArrayRef<MeasuredSize> Runs);

/// The largest distance of a run from the law, in bytes.
double largestMiss(const SizeLaw &L, llvm::ArrayRef<MeasuredSize> Runs);

/// What the laws of the runs without one of them say; none: as many runs as the
/// law has terms, so that nothing contradicts it.
struct LawRange {
  double Low = 0, High = 0;
};
std::optional<LawRange> rangeAt(const SizeLaw &L,
                                llvm::ArrayRef<MeasuredSize> Runs, double Q);

/// The largest whole quantity whose bytes are at most \p Bytes, by the runs
/// (rising in quantity) as far as they go, between and behind them by the law;
/// AnyFits: all fit. None: the first run does not fit.
std::optional<double> largestFitting(const SizeLaw &L,
                                     llvm::ArrayRef<MeasuredSize> Runs,
                                     double Bytes);
inline constexpr double AnyFits = double(uint64_t(1) << 53);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SIZELAW_H
