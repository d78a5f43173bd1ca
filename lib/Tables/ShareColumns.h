// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list `spaces` of a row.

#ifndef MEMKIT_LIB_TABLES_SHARECOLUMNS_H
#define MEMKIT_LIB_TABLES_SHARECOLUMNS_H

#include "Cells.h"
#include "memkit/Model/Trace.h"

namespace memkit {

/// The rows that have shares: each has other columns.
enum class ShareOf { Step, Process, Layer, Scope };

/// The shares of memory spaces, for JSON. T must live as long as the rows.
RowListRef shareRows(const Trace &T, llvm::ArrayRef<SpaceShare> Shares,
                     ShareOf Of);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_SHARECOLUMNS_H
