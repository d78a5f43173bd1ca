// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of operators by the shapes of their inputs.

#ifndef MEMKIT_LIB_RECORD_SHAPEROWS_H
#define MEMKIT_LIB_RECORD_SHAPEROWS_H

#include "Scopes/OperatorTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

class NameTable;
class SharedProcess;

/// Adds a row to an OperatorTable for each operator with inputs of one text.
/// Belongs to the recorder's thread.
class ShapeRows {
public:
  ShapeRows(SharedProcess &Shared, NameTable &Names, OperatorTable &Table)
      : Shared(Shared), Names(Names), Table(Table) {}

  /// The row for calls of the operator Name, whose row for all shapes is
  /// NameRow, with the inputs of text Inputs of the process. NameRow for
  /// Inputs 0, an invalid text, or when there are too many rows.
  uint32_t rowOf(uint32_t NameRow, llvm::StringRef Name, uint32_t Inputs);

  /// Of a row of rowOf(): the string of its inputs, and the row of its name.
  struct RowShapes {
    uint32_t String = 0, NameRow = 0;
  };
  /// {0, Row}: the row is of all shapes.
  RowShapes shapes(uint32_t Row) const {
    auto It = OfRows.find(Row);
    return It == OfRows.end() ? RowShapes{0, Row} : It->second;
  }

  /// Half of the table is left for operators' names.
  static constexpr size_t Max = OperatorTable::MaxRows / 2;

private:
  uint32_t find(uint32_t NameRow, llvm::StringRef Name, uint32_t Inputs);

  SharedProcess &Shared;
  NameTable &Names;
  OperatorTable &Table;
  /// Row by NameRow and text. A text may have several numbers, so there may be
  /// more entries than rows.
  llvm::DenseMap<uint64_t, uint32_t> OfTexts;
  llvm::DenseMap<uint64_t, uint32_t> OfStrings; ///< by NameRow and string
  llvm::DenseMap<uint32_t, RowShapes> OfRows;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHAPEROWS_H
