// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of a process, by the name and the inputs' shapes.

#include "Scopes/OperatorRows.h"
#include "Scopes/ScopeNames.h"

using namespace llvm;
using namespace memkit;

uint32_t OperatorRows::rowOf(uint32_t Text, bool IsNode) {
  auto [At, IsNew] =
      OfStrings.try_emplace(keyOf(Names.name(Text).String, IsNode), 0);
  if (IsNew && (At->second = Table.add()))
    Texts[At->second] = keyOf(Text, IsNode);
  return At->second;
}

uint32_t OperatorRows::rowOfShapes(uint32_t NameRow, uint32_t Text,
                                   uint32_t Inputs) {
  return Shapes.rowOf(NameRow, Names.name(Text).Text, Inputs);
}

void OperatorRows::addStats(uint32_t Process, bool OnlyChanged,
                            std::vector<LayerStats> &Out) {
  for (uint32_t Row = 1; Row != Table.numRows(); ++Row) {
    if (OnlyChanged && !Table.takeChanged(Row))
      continue;
    LayerStats Stats = Table.stats(Row);
    if (!Stats.Calls)
      continue;
    ShapeRows::RowShapes Of = Shapes.shapes(Row);
    uint64_t Text = Texts.lookup(Of.NameRow);
    Stats.Process = Process;
    Stats.Name = Names.name(uint32_t(Text >> 1)).String;
    Stats.Backward = Text & 1;
    Stats.Shapes = Of.String;
    Out.push_back(std::move(Stats));
  }
}
