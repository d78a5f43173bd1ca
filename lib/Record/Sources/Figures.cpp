// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a framework says of its memory.

#include "Sources/Figures.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;

void Figures::take(const wire::FigureRecord &Rec, RecordOrigin From) {
  if (unsigned(Rec.Of) >= wire::NumFigureKinds || !Rec.Count ||
      Rec.Count > wire::MaxFigures || Rec.Index >= Rec.Count)
    return Sink.bad();
  if (Rows.size() <= From.Ring)
    Rows.resize(From.Ring + size_t(1));
  std::vector<uint64_t> &Row = Rows[From.Ring];
  // The first records of a row may be lost.
  if (Rec.Index == 0)
    Row.clear();
  if (Rec.Index != Row.size())
    return;
  Row.push_back(Rec.Value);
  if (Row.size() != Rec.Count || Added == MaxRows)
    return;
  std::string Text;
  if (!Sink.shared().text(Rec.Text, Text) || Text.empty())
    return Sink.bad();
  ++Added;
  Mark M = Sink.markOf(Rec.Of == wire::FigureKind::Program ? MarkKind::Program
                                                           : MarkKind::Arrays,
                       From);
  M.Name = Sink.string(Text);
  M.Values.assign(Row.begin(), Row.end());
  Sink.add(std::move(M));
}
