// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events as rows of chosen columns.

#ifndef MEMKIT_LIB_EXPORT_EVENTROWS_H
#define MEMKIT_LIB_EXPORT_EVENTROWS_H

#include "memkit/Model/SelectedStats.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

enum class EventColumn {
  Time,
  Process,
  Thread,
  Kind,
  Block,
  Size,
  Heap,
  Stack,
  Layer,
  ScopePath,
  Allocated,
  Reserved,
  Fragmentation,
  Category,
  Scope,
};

/// Writes a row for each event of the blocks of Sel, in order of time and
/// within the time window of Sel. With the column of layers, rows between them
/// show where a thread enters or leaves a layer, with that of scopes, any
/// scope: by the times of scopes, or by allocations in a trace without
/// (ScopeOccurrences). Csv begins with a line of column
/// names; Json has an object for each row, one a line. T: its frames are folded
/// if stacks are to be shown folded. Stops when Failed reports that OS accepts
/// no more.
llvm::Error writeEventRows(llvm::raw_ostream &OS, const Trace &T,
                           const Selection &Sel,
                           llvm::ArrayRef<EventColumn> Columns, bool Json,
                           llvm::function_ref<bool()> Failed);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_EVENTROWS_H
