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
};

/// Writes a row for each event of the blocks that Sel chooses, in the order in
/// which they happened and within its window, with rows between them where a
/// thread enters or leaves a layer (ScopeSpans). Csv has a line of columns
/// first; Json a line with an object for each row. T: with its frames folded or
/// not, as stacks are to be shown. Stops where Failed says that OS takes no
/// more.
llvm::Error writeEventRows(llvm::raw_ostream &OS, const Trace &T,
                           const Selection &Sel,
                           llvm::ArrayRef<EventColumn> Columns, bool Json,
                           llvm::function_ref<bool()> Failed);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_EVENTROWS_H
