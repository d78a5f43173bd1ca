// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All events of a trace as a table, and the frames of its stacks.
//
// Both are made while they are read, in constant memory: the live blocks, and a
// few batches.

#ifndef MEMKIT_LIB_TABLES_EVENTSTABLE_H
#define MEMKIT_LIB_TABLES_EVENTSTABLE_H

#include "Table.h"
#include "memkit/Model/SelectedStats.h"
#include <mutex>

namespace memkit {

/// A trace that tables share with others. Whoever uses the trace holds Lock.
struct SharedTrace {
  std::unique_ptr<Trace> T;
  std::mutex Lock;
};

/// The names of all columns of eventsTable().
std::vector<std::string> eventColumnNames();
/// The columns that suffice for most questions, and cost least.
std::vector<std::string> usualEventColumns();

/// The events of the blocks of Sel in order of time, within the time window of
/// Sel. Sizes are those after an event, of a freed block before. Reads
/// TP_Names. Errors: a RequestError for an unknown column; the trace has no
/// events. Streams fail with a TraceError.
llvm::Expected<TableRef> eventsTable(std::shared_ptr<SharedTrace> Of,
                                     Selection Sel,
                                     llvm::ArrayRef<std::string> Columns);

/// The shown functions of each stack, innermost first: a row for each.
/// Stack 0: all stacks. Reads TP_Stacks.
TableRef framesTable(std::shared_ptr<SharedTrace> Of, uint32_t Stack);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_EVENTSTABLE_H
