// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single values of a table, for renderers.

#ifndef MEMKIT_LIB_TABLES_CELLS_H
#define MEMKIT_LIB_TABLES_CELLS_H

#include "Table.h"
#include <variant>

namespace memkit {

/// A value; monostate: none. A text is valid as long as the batch.
using TableCell =
    std::variant<std::monostate, int64_t, double, bool, llvm::StringRef>;

/// The value of Row in the column Of, which has the values Data.
TableCell cellOf(const ColumnInfo &Of, const ColumnData &Data, size_t Row);

/// What a number means. The end of a column's name says it, in all tables:
/// `live_bytes`, `begin_ns`, `fragmentation_ppm`.
enum class ColumnUnit { None, Bytes, Ns, Millionths };
ColumnUnit unitOf(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_CELLS_H
