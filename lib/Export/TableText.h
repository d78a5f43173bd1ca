// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as text: for people, Markdown, CSV, JSON.
//
// CSV and JSON have the names and the numbers of the columns. For people,
// numbers have the units that the names tell (Tables/Cells.h), titles are
// without them, and columns without any value are left out.

#ifndef MEMKIT_LIB_EXPORT_TABLETEXT_H
#define MEMKIT_LIB_EXPORT_TABLETEXT_H

#include "Tables/Table.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

enum class TableTextFormat { Text, Markdown, Csv, Json };

/// Writes all rows; Text and Markdown keep them in memory before. Name: the
/// name of the list in JSON. Width: of Text, in columns; 0: any. Errors: those
/// of the table.
llvm::Error writeTableText(llvm::raw_ostream &OS, const TypedTable &T,
                           TableTextFormat Format, llvm::StringRef Name,
                           unsigned Width);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TABLETEXT_H
