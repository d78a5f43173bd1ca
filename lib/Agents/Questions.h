// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions that a client may ask: tools of the protocol.

#ifndef MEMKIT_TOOLS_MEMMCP_QUESTIONS_H
#define MEMKIT_TOOLS_MEMMCP_QUESTIONS_H

#include "Folders.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace memkit {

/// The rows of a table to keep, and how many.
struct RowFilter {
  std::string Column; ///< empty: all rows
  std::string Test;   ///< contains, =, >, <
  std::string Value;
  uint64_t Max = 0; ///< rows; 0: the output is no table
};

/// A run of a tool that answers a question.
struct PlannedAnswer {
  std::string Tool;
  std::vector<std::string> Arguments;
  RowFilter Rows;
  std::string Narrower; ///< what shows the rest
};

/// The list of tools, as tools/list gives it.
llvm::json::Array questionList();

/// Plans the answer of a question. Errors, for the client: there is no such
/// question; an argument is missing, unknown or wrong.
llvm::Expected<PlannedAnswer> planAnswer(llvm::StringRef Question,
                                         const llvm::json::Object *Arguments,
                                         const Folders &Of);

/// The text of an answer from the output of its tool: at most MaxAnswer bytes
/// of whole lines. Says what is left out, and what shows it.
std::string answerText(const PlannedAnswer &Of, llvm::StringRef Output,
                       bool IsCut);
inline constexpr size_t MaxAnswer = 10'000;

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMMCP_QUESTIONS_H
