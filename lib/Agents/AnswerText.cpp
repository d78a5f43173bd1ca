// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of answers.

#include "Agents/AnswerText.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace llvm;
using namespace memkit;

/// The cells of a line of CSV, without their quotes.
static std::vector<std::string> cellsOf(StringRef Line) {
  std::vector<std::string> Cells(1);
  bool IsQuoted = false;
  for (size_t I = 0; I != Line.size(); ++I) {
    char C = Line[I];
    if (C == '"' && IsQuoted && I + 1 != Line.size() && Line[I + 1] == '"')
      Cells.back() += Line[++I];
    else if (C == '"')
      IsQuoted = !IsQuoted;
    else if (C == ',' && !IsQuoted)
      Cells.emplace_back();
    else
      Cells.back() += C;
  }
  return Cells;
}

static bool isWanted(const RowFilter &F, StringRef Cell) {
  if (F.Test == "=")
    return Cell == F.Value;
  if (F.Test == "~")
    return Cell.contains(F.Value);
  double Number, Bound;
  return !Cell.getAsDouble(Number) && !StringRef(F.Value).getAsDouble(Bound) &&
         (F.Test == ">" ? Number > Bound : Number < Bound);
}

/// The head and the wanted rows of a table.
static Expected<std::string> rowsText(const RowFilter &F, StringRef Output,
                                      size_t &LeftOut) {
  auto [Head, Rest] = Output.split('\n');
  std::vector<std::string> Names = cellsOf(Head);
  size_t At = size_t(find(Names, F.Column) - Names.begin());
  if (!F.Column.empty() && At == Names.size())
    return makeError("There is no column '" + F.Column + "'; columns: " + Head);
  std::string Text = Head.str() + "\n";
  uint64_t Count = 0;
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    if (!F.Column.empty()) {
      std::vector<std::string> Cells = cellsOf(Line);
      if (At >= Cells.size() || !isWanted(F, Cells[At]))
        continue;
    }
    if (Count++ < F.Max)
      Text += Line.str() + "\n";
    else
      ++LeftOut;
  }
  if (!Count)
    Text += "(no row matches)\n";
  return Text;
}

Expected<std::string> memkit::answerText(const RowFilter &Of,
                                         StringRef Narrower, StringRef Output,
                                         bool IsCut) {
  size_t LeftOut = 0;
  std::string Rows;
  if (Of.Max) {
    if (Error E = rowsText(Of, Output, LeftOut).moveInto(Rows))
      return std::move(E);
    Output = Rows;
  }
  // Room for the last line.
  constexpr size_t Room = MaxAnswer - 200;
  StringRef Kept = Output;
  if (Output.size() > Room) {
    size_t End = Output.rfind('\n', Room);
    Kept = Output.take_front(End == StringRef::npos ? 0 : End + 1);
    LeftOut += Output.drop_front(Kept.size()).count('\n');
  }
  std::string Text = Kept.str();
  if (LeftOut || IsCut)
    Text += "(" + (LeftOut ? std::to_string(LeftOut) : std::string("many")) +
            (IsCut ? " or more" : "") +
            " lines left out; to see others: " + Narrower.str() + ")\n";
  return Text;
}
