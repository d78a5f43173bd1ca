// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of answers.

#ifndef MEMKIT_LIB_AGENTS_ANSWERTEXT_H
#define MEMKIT_LIB_AGENTS_ANSWERTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// The rows of a table to keep, and how many.
struct RowFilter {
  std::string Column; ///< empty: all rows
  std::string Test;   ///< contains, =, >, <
  std::string Value;
  uint64_t Max = 0; ///< rows; 0: the output is no table
};

/// The text of an answer from the output of its tool: at most MaxAnswer bytes
/// of whole lines. Says what is left out, and, by Narrower, what shows it.
/// Errors: the table has no such column.
llvm::Expected<std::string> answerText(const RowFilter &Of,
                                       llvm::StringRef Narrower,
                                       llvm::StringRef Output, bool IsCut);
inline constexpr size_t MaxAnswer = 10'000;

} // namespace memkit

#endif // MEMKIT_LIB_AGENTS_ANSWERTEXT_H
