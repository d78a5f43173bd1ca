// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of a process, by the name and the inputs' shapes.

#ifndef MEMKIT_LIB_RECORD_OPERATORROWS_H
#define MEMKIT_LIB_RECORD_OPERATORROWS_H

#include "Scopes/OperatorTable.h"
#include "Scopes/ShapeRows.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace memkit {

class ScopeNames;

/// Belongs to the recorder's thread.
class OperatorRows {
public:
  OperatorRows(SharedProcess &Shared, NameTable &Strings, ScopeNames &Names)
      : Names(Names), Shapes(Shared, Strings, Table) {}

  OperatorTable &table() { return Table; }
  /// The row of the operator with the name Text, added if new. Names that
  /// became one string have one row. IsNode: a node of a backward pass.
  uint32_t rowOf(uint32_t Text, bool IsNode);
  /// The row for calls with the inputs of text Inputs, not 0; NameRow: rowOf().
  uint32_t rowOfShapes(uint32_t NameRow, uint32_t Text, uint32_t Inputs);
  /// Adds the stats of all operators to Out. OnlyChanged: of those that have
  /// changed since the last such call.
  void addStats(uint32_t Process, bool OnlyChanged,
                std::vector<LayerStats> &Out);

private:
  /// A text, times 2, plus 1 for nodes.
  static uint64_t keyOf(uint32_t Text, bool IsNode) {
    return uint64_t(Text) << 1 | uint64_t(IsNode);
  }

  ScopeNames &Names;
  OperatorTable Table;
  ShapeRows Shapes;
  llvm::DenseMap<uint64_t, uint32_t> OfStrings; ///< by keyOf() of the string
  llvm::DenseMap<uint32_t, uint64_t> Texts;     ///< keyOf() by row
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_OPERATORROWS_H
