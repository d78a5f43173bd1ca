// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables as text: for people, Markdown, CSV, JSON.
//
// CSV and JSON have the names and the numbers of the columns. For people,
// numbers have the units that the names tell (Tables/Cells.h), titles are
// without them, and columns without any value are left out.

#ifndef MEMKIT_LIB_EXPORT_TABLETEXT_H
#define MEMKIT_LIB_EXPORT_TABLETEXT_H

#include "Support/Table.h"
#include "Tables/Cells.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

enum class TableTextFormat { Text, Markdown, Csv, Json };

/// Writes all rows; Text and Markdown keep them in memory before. Name: the
/// name of the list in JSON. Width: of Text, in columns; 0: any. Errors: those
/// of the table.
llvm::Error writeTableText(llvm::raw_ostream &OS, const TypedTable &T,
                           TableTextFormat Format, llvm::StringRef Name,
                           unsigned Width);

struct NamedTable {
  llvm::StringRef Name;
  const TypedTable &Rows;
};
/// Writes one object with an array of rows for each table. Errors: those of the
/// tables.
llvm::Error writeTablesJson(llvm::raw_ostream &OS,
                            llvm::ArrayRef<NamedTable> Tables);

/// The rows for people.
Table tableOf(const RowList &Rows);
/// A line of names, then the rows.
void writeRowsCsv(llvm::raw_ostream &OS, const RowList &Rows);
/// Writes the attribute Key, an array with an object for each row, into the
/// object open in J. A column without a name gives plain values.
void writeRowsJson(llvm::json::OStream &J, llvm::StringRef Key,
                   const RowList &Rows);
/// Writes an attribute for each column, an array with the values of all rows.
void writeColumnsJson(llvm::json::OStream &J, const RowList &Rows);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TABLETEXT_H
