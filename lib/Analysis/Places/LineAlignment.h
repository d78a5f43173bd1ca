// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counterparts of a function's lines in another version of the function.

#ifndef MEMKIT_LIB_ANALYSIS_LINEALIGNMENT_H
#define MEMKIT_LIB_ANALYSIS_LINEALIGNMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace memkit {

/// A line of a function.
struct FunctionLine {
  uint32_t Line = 0;
  llvm::StringRef Source; ///< the line's text; empty: not recorded
};

/// For each line of Old the index of its counterpart in New; none: the line is
/// gone. Both are sorted by line. Lines with equal text are counterparts, as in
/// a diff; of lines without text, lines with equal numbers. Between two pairs
/// of counterparts, the other lines are counterparts in their order if both
/// versions have as many, else in the order in which they are most alike: a
/// line whose text was changed.
std::vector<std::optional<uint32_t>>
alignLines(llvm::ArrayRef<FunctionLine> Old, llvm::ArrayRef<FunctionLine> New);

/// The share of words (names and numbers) that two lines have in common, from 0
/// to 1 (Dice's coefficient); 0 for lines without words.
double lineLikeness(llvm::StringRef A, llvm::StringRef B);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_LINEALIGNMENT_H
