// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers as tables of typed columns.
//
// What a program reads row by row: the C interface and Python (as Arrow
// streams), Parquet and Arrow files. The memory of columns has Arrow's layout
// (https://arrow.apache.org/docs/format/Columnar.html, version 1.5), so that
// nothing is copied on the way out.

#ifndef MEMKIT_LIB_TABLES_TABLE_H
#define MEMKIT_LIB_TABLES_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

enum class ColumnType : uint8_t {
  Int64,
  UInt32,
  Float64,
  Flag,   ///< a bit
  Text,   ///< UTF-8
  Choice, ///< one of few texts: an int32, the number of the text
};

/// Memory of at least Bytes bytes at a multiple of 64, unset. Shared by all
/// that still use a column.
using Buffer = std::shared_ptr<uint8_t>;
Buffer makeBuffer(size_t Bytes);

/// Texts behind each other; text I is [Offsets[I], Offsets[I + 1]) of Bytes.
struct TextList {
  std::vector<int32_t> Offsets{0};
  std::vector<char> Bytes;
  size_t size() const { return Offsets.size() - 1; }
  llvm::StringRef operator[](size_t I) const {
    return {Bytes.data() + Offsets[I], size_t(Offsets[I + 1] - Offsets[I])};
  }
  /// Bytes that are not UTF-8 are replaced. False: more than 2 GiB in all.
  bool add(llvm::StringRef Text);
};

/// How people see a column, if not in the usual way.
enum ColumnStyle : unsigned {
  CS_Whole = 1,  ///< texts are not shortened, numbers have no commas
  CS_Kept = 2,   ///< the column stays if no row has a value
  CS_Right = 4,  ///< texts are at the right
  CS_Signed = 8, ///< numbers are changes, with a sign
};

struct ColumnInfo {
  std::string Name;
  ColumnType Type = ColumnType::Int64;
  bool IsNullable = false;
  std::shared_ptr<const TextList> Choices{}; ///< of Choice
  std::string Title{}; ///< for people; empty: from the name
  unsigned Style = 0;  ///< ColumnStyle
};

/// The values of a column in a batch.
struct ColumnData {
  Buffer Values;
  Buffer Offsets;   ///< of Text: an int32 for each row, and the end
  Buffer Valid;     ///< a bit for each row, the lowest first; null: all valid
  size_t Nulls = 0; ///< number of rows without a value
};

/// At most MaxBatchRows rows.
struct TableBatch {
  size_t Rows = 0;
  std::vector<ColumnData> Columns;
};
inline constexpr size_t MaxBatchRows = size_t(1) << 16;

/// Gives rows. Belongs to one thread at a time.
class TableStream {
public:
  virtual ~TableStream();
  /// The next rows; nothing at the end, and after an error.
  virtual llvm::Expected<std::optional<TableBatch>> next() = 0;
};

/// An answer. Immutable; several threads may use it.
class TypedTable {
public:
  virtual ~TypedTable();
  llvm::ArrayRef<ColumnInfo> columns() const { return Columns; }
  /// Nothing: not known before all were read.
  virtual std::optional<uint64_t> rows() const = 0;
  /// Gives all rows, from the first.
  virtual llvm::Expected<std::unique_ptr<TableStream>> stream() const = 0;

protected:
  std::vector<ColumnInfo> Columns;
};
using TableRef = std::shared_ptr<const TypedTable>;

/// Calls Take for each batch of Of, until Stops returns true. Errors: those of
/// the stream.
llvm::Error forEachBatch(const TypedTable &Of, llvm::function_ref<bool()> Stops,
                         llvm::function_ref<void(const TableBatch &)> Take);

/// A table with constant columns before its own: where the rows come from, for
/// rows of many traces in one place. Process: the process's id in the system;
/// Rank below 0: not known. Left out are columns that Of has itself.
TableRef withOrigin(TableRef Of, llvm::StringRef Host, int32_t Rank,
                    uint32_t Process);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_TABLE_H
