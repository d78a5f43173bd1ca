// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory is grouped by, with its words.

#ifndef MEMKIT_MODEL_GROUPBY_H
#define MEMKIT_MODEL_GROUPBY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace memkit {

/// The contents of a view's frames, or the rows of a table.
enum class GroupBy {
  Stack,
  /// Layers nested by their calls and paths, below the phases of training.
  Layer,
  /// The operators inside the innermost scope of another kind.
  Operator,
  Scope,     ///< names from the program: ranges and scopes of its own
  ScopePath, ///< all scopes
  Function,  ///< functions of the code; equal names are one function
  File,      ///< files of the code; consecutive frames of a file are one frame
  Binary,    ///< binaries of the code, likewise
  Thread,    ///< stacks below the threads that allocated
  Heap,      ///< stacks below heaps
  Size,      ///< stacks below classes of size, powers of two
  Step,      ///< stacks below the steps of the allocations
  /// Stacks with scope paths inserted at the frame that entered the scope.
  Mixed,
  Category, ///< categories of tensors: parameters, gradients, ...
  Dtype,    ///< stacks below the dtypes of tensors
  Library,  ///< stacks below the libraries that asked for memory
  Line,     ///< lines of source; in tables see StatsQuery.h
  Process,
  Rank,
};
inline constexpr unsigned NumGroupBys = unsigned(GroupBy::Rank) + 1;
/// The word for a grouping, in all tools, answers and interfaces: `scope-path`.
llvm::StringRef groupWord(GroupBy By);
/// The grouping of a word, if it is one of Known.
std::optional<GroupBy> groupOf(llvm::StringRef Word,
                               llvm::ArrayRef<GroupBy> Known);
/// The words of Known, for a message: `stack, line`.
std::string groupWords(llvm::ArrayRef<GroupBy> Known);

/// Whether keys are scope paths, so the stats must be by scope path, too.
inline bool isOfScopes(GroupBy By) {
  return By == GroupBy::Layer || By == GroupBy::Operator ||
         By == GroupBy::Scope || By == GroupBy::ScopePath;
}

} // namespace memkit

#endif // MEMKIT_MODEL_GROUPBY_H
