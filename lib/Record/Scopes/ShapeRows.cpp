// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of operators by the shapes of their inputs.

#include "Scopes/ShapeRows.h"
#include "Scopes/FlopFormulas.h"
#include "Shared/SharedProcess.h"
#include "Trace/NameTable.h"

using namespace llvm;
using namespace memkit;

uint32_t ShapeRows::rowOf(uint32_t NameRow, StringRef Name, uint32_t Inputs) {
  if (!Inputs || !NameRow)
    return NameRow;
  uint64_t Key = uint64_t(NameRow) << 32 | Inputs;
  if (auto It = OfTexts.find(Key); It != OfTexts.end())
    return It->second;
  if (OfTexts.size() >= 2 * Max)
    return NameRow;
  uint32_t Row = find(NameRow, Name, Inputs);
  return OfTexts[Key] = Row;
}

uint32_t ShapeRows::find(uint32_t NameRow, StringRef Name, uint32_t Inputs) {
  std::string Text;
  if (!Shared.text(Inputs, Text))
    return NameRow;
  // Of TensorFlow, the name of the graph's node is before them.
  Text.erase(0, Text.find('\n') + 1);
  if (Text.empty())
    return NameRow;
  uint32_t String = Names.string(Text);
  uint64_t Key = uint64_t(NameRow) << 32 | String;
  if (auto It = OfStrings.find(Key); It != OfStrings.end())
    return It->second;
  if (OfRows.size() >= Max)
    return NameRow;
  uint32_t Row = Table.add(NameRow, flopsOf(Name, Text));
  if (!Row)
    return NameRow;
  OfRows[Row] = {String, NameRow};
  return OfStrings[Key] = Row;
}
