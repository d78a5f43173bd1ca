// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions that a client may ask: tools of the protocol.

#ifndef MEMKIT_LIB_AGENTS_QUESTIONS_H
#define MEMKIT_LIB_AGENTS_QUESTIONS_H

#include "Agents/AnswerText.h"
#include "Agents/Folders.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace memkit {

/// A run of tools that answers a question.
struct PlannedAnswer {
  std::string Tool;
  std::vector<std::string> Arguments;
  std::vector<std::string> Inputs; ///< traces, behind the arguments
  RowFilter Rows;
  std::string Narrower; ///< what shows the rest
  /// A command to record first into the trace Inputs[0]; empty: none.
  std::vector<std::string> Command;
  unsigned Seconds = 0; ///< that the command may run
};

/// The list of tools, as tools/list gives it. MayRecord: also `record`.
llvm::json::Array questionList(bool MayRecord);

/// Plans the answer of a question. Errors, for the client: there is no such
/// question; an argument is missing, unknown or wrong.
llvm::Expected<PlannedAnswer> planAnswer(llvm::StringRef Question,
                                         const llvm::json::Object *Arguments,
                                         const Folders &Of, bool MayRecord);

} // namespace memkit

#endif // MEMKIT_LIB_AGENTS_QUESTIONS_H
