// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers by name.
//
// An answer is a table with a name: tools write it in each format, and the C
// interface and Python ask for it by the name. A new answer is a function that
// makes the table (Questions.h) and a row of the list in Answers.cpp.

#ifndef MEMKIT_LIB_TABLES_ANSWERS_H
#define MEMKIT_LIB_TABLES_ANSWERS_H

#include "EventsTable.h"
#include "Questions.h"

namespace memkit {

struct NamedAnswer {
  llvm::StringLiteral Name;  ///< `steps`
  llvm::StringLiteral About; ///< for help: `the steps`
  /// The parts of the trace to read before, if the selection is empty; with a
  /// selection TP_All.
  unsigned Parts;
  /// Whether the rows are given while the trace is read, however many.
  bool Streams;
  TableAnswer (*Make)(const std::shared_ptr<SharedTrace> &, Selection);
};

llvm::ArrayRef<NamedAnswer> namedAnswers();
/// Errors: a RequestError with all names.
llvm::Expected<const NamedAnswer *> findAnswer(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_ANSWERS_H
