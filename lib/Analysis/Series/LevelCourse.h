// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The course of live bytes: a rise to the end, or a rise that was freed again.
//
// Survival.h tells whether blocks of a place are ever freed, and needs a long
// run for the answer. Here only the curve of live bytes counts: a rise in
// several parts, far beyond all falls near it.

#ifndef MEMKIT_LIB_ANALYSIS_LEVELCOURSE_H
#define MEMKIT_LIB_ANALYSIS_LEVELCOURSE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <optional>

namespace memkit {

/// A rise of live bytes in the bins From to To.
struct LevelRise {
  size_t From = 0, To = 0;
  double Bytes = 0;
  size_t Gap = 0; ///< the most bins without a rise, within the rise
  /// The bin in which nearly all of the rise was freed; none: the end is as
  /// high as the rise.
  std::optional<size_t> FreedIn;
};

/// The rise that reaches the level of the end. Level: live bytes at the end of
/// each bin; Before: at the begin of the first.
std::optional<LevelRise> riseToEnd(llvm::ArrayRef<double> Level, double Before);

/// A rise after which less than a tenth of it was left, to the end.
std::optional<LevelRise> freedRise(llvm::ArrayRef<double> Level, double Before);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_LEVELCOURSE_H
