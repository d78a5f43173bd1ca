// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a moment, from those of an earlier moment and the changes since.

#ifndef MEMKIT_LIB_LIVE_MOMENTMERGE_H
#define MEMKIT_LIB_LIVE_MOMENTMERGE_H

#include "memkit/Trace/MomentRow.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace memkit {

/// Sorts rows in the order of a summary: stacks before scope paths, by process,
/// heap, key.
void sortRows(std::vector<MomentRow> &Rows);

/// Rows: those of the moment after event number Since, sorted; becomes those of
/// the moment of Cells. Changed: the rows with an event after Since, sorted.
void mergeMoment(std::vector<MomentRow> &Rows, uint64_t Since,
                 llvm::ArrayRef<MomentCell> Cells,
                 std::vector<MomentRow> Changed);

} // namespace memkit

#endif // MEMKIT_LIB_LIVE_MOMENTMERGE_H
