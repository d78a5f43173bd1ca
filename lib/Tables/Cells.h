// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of single values, for renderers.

#ifndef MEMKIT_LIB_TABLES_CELLS_H
#define MEMKIT_LIB_TABLES_CELLS_H

#include "Table.h"
#include <variant>

namespace memkit {

class RowList;
using RowListRef = std::shared_ptr<const RowList>;

/// A value; monostate: none. A StringRef is valid as long as the rows.
using TableCell = std::variant<std::monostate, int64_t, uint64_t, double, bool,
                               llvm::StringRef, std::string, RowListRef>;

/// The text of a cell with a text.
std::optional<llvm::StringRef> textIn(const TableCell &C);

/// Rows in memory.
class RowList {
public:
  virtual ~RowList();
  virtual llvm::ArrayRef<ColumnInfo> columns() const = 0;
  virtual size_t size() const = 0;
  virtual TableCell cell(size_t Row, size_t Column) const = 0;
  bool empty() const { return size() == 0; }
};

/// The rows of one batch of a table.
class BatchRows final : public RowList {
public:
  BatchRows(const TypedTable &Of, const TableBatch &Batch)
      : Of(Of), Batch(Batch) {}
  llvm::ArrayRef<ColumnInfo> columns() const override { return Of.columns(); }
  size_t size() const override { return Batch.Rows; }
  TableCell cell(size_t Row, size_t Column) const override;

private:
  const TypedTable &Of;
  const TableBatch &Batch;
};

/// What a number means. The end of a column's name says it, in all tables:
/// `live_bytes`, `begin_ns`, `fragmentation_ppm`.
enum class ColumnUnit { None, Bytes, Ns, Millionths };
ColumnUnit unitOf(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_CELLS_H
