// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints text tables.

#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>
#include <cassert>
#include <tuple>

using namespace llvm;

namespace memkit {

/// The columns of Text on a terminal; text that is not UTF-8 counts bytes.
static unsigned widthOf(StringRef Text) {
  int Width = sys::unicode::columnWidthUTF8(Text);
  return Width < 0 ? Text.size() : Width;
}

/// Whether the byte at At is inside a character of Text.
static bool isInsideChar(StringRef Text, size_t At) {
  return At < Text.size() && (static_cast<uint8_t>(Text[At]) & 0xC0) == 0x80;
}

/// The longest prefix of Text with at most Width columns. A character has at
/// most four bytes.
static StringRef firstColumns(StringRef Text, unsigned Width) {
  size_t End = std::min<size_t>(Text.size(), 4 * size_t(Width));
  while (End > 0 &&
         (isInsideChar(Text, End) || widthOf(Text.take_front(End)) > Width))
    --End;
  return Text.take_front(End);
}

static StringRef lastColumns(StringRef Text, unsigned Width) {
  size_t Begin = Text.size() - std::min<size_t>(Text.size(), 4 * size_t(Width));
  while (Begin < Text.size() &&
         (isInsideChar(Text, Begin) || widthOf(Text.drop_front(Begin)) > Width))
    ++Begin;
  return Text.drop_front(Begin);
}

std::string shorten(StringRef Text, unsigned Width) {
  if (widthOf(Text) <= Width)
    return Text.str();
  if (Width < 8)
    return firstColumns(Text, Width).str();
  unsigned Left = (Width - 3) / 3;
  return firstColumns(Text, Left).str() + "..." +
         lastColumns(Text, Width - 3 - Left).str();
}

void printWrapped(raw_ostream &OS, StringRef Text, unsigned Width,
                  unsigned Indent) {
  StringRef Words = Text.ltrim();
  unsigned Before = Text.size() - Words.size();
  for (;;) {
    OS.indent(Before);
    size_t Room = Width > Before + 8 ? Width - Before : Words.size();
    size_t At = Words.size() <= Room ? StringRef::npos
                                     : Words.take_front(Room + 1).rfind(' ');
    if (At == StringRef::npos)
      break;
    OS << Words.take_front(At).rtrim() << '\n';
    Words = Words.drop_front(At).ltrim();
    Before = Text.size() - Text.ltrim().size() + Indent;
  }
  OS << Words << '\n';
}

void Table::add(std::vector<std::string> Cells) {
  assert(Cells.size() == Columns.size());
  Rows.push_back(std::move(Cells));
}

static void printCell(raw_ostream &OS, StringRef Text, unsigned Width,
                      Table::Side Side, bool IsLast) {
  unsigned Pad = Width - std::min(Width, widthOf(Text));
  if (Side == Table::Side::Right)
    OS.indent(Pad);
  OS << Text;
  if (Side == Table::Side::Left && !IsLast)
    OS.indent(Pad);
}

/// Blanks between columns.
static constexpr unsigned Gap = 2;

std::vector<unsigned> Table::fullWidths() const {
  std::vector<unsigned> Widths;
  for (const Column &C : Columns)
    Widths.push_back(widthOf(C.Title));
  for (const auto &Row : Rows)
    for (size_t I = 0; I != Row.size(); ++I)
      Widths[I] = std::max(Widths[I], widthOf(Row[I]));

  return Widths;
}

/// The columns that fit into Width, with their widths in Widths.
std::vector<size_t> Table::fit(std::vector<unsigned> &Widths,
                               unsigned Width) const {
  std::vector<size_t> Shown;
  for (size_t I = 0; I != Columns.size(); ++I)
    Shown.push_back(I);
  const std::vector<unsigned> Full = Widths;
  for (;;) {
    Widths = Full;
    unsigned Total = Gap * (Shown.size() - 1);
    for (size_t I : Shown)
      Total += Widths[I];
    if (!Width || Total <= Width)
      return Shown;
    unsigned Missing = Total - Width;
    // A column goes before names become too short to be read.
    bool CanDrop = any_of(Shown, [&](size_t I) { return Columns[I].Drop; });
    const unsigned MinFlexible = CanDrop ? 24 : Shown.size() > 1 ? 12 : 1;
    for (size_t I : llvm::reverse(Shown)) {
      if (!Columns[I].Flexible && Shown.size() > 1)
        continue;
      unsigned Least = std::min(Widths[I], MinFlexible);
      unsigned Less = std::min(Missing, Widths[I] - Least);
      Widths[I] -= Less;
      Missing -= Less;
    }
    if (!Missing || Shown.size() == 1)
      return Shown;
    // Of equal columns the rightmost goes; a column with a name last.
    auto Rank = [&](size_t I) {
      return std::tuple(Columns[I].Drop, !Columns[I].Flexible, I);
    };
    Shown.erase(std::max_element(
        Shown.begin() + 1, Shown.end(),
        [&](size_t A, size_t B) { return Rank(A) < Rank(B); }));
  }
}

/// Prints Before and a cell of Width columns; words that do not fit go into
/// further lines, below the cell.
void Table::printWrappedRow(raw_ostream &OS, StringRef Before, StringRef Cell,
                            unsigned Width) const {
  unsigned Indent = widthOf(Before);
  OS << Before;
  for (;;) {
    size_t At = firstColumns(Cell, Width + 1).rfind(' ');
    bool Fits = widthOf(Cell) <= Width;
    if (Fits || At == StringRef::npos)
      break;
    OS << Cell.take_front(At).rtrim() << '\n';
    OS.indent(Indent);
    Cell = Cell.drop_front(At).ltrim();
  }
  OS << Cell << '\n';
}

void Table::print(raw_ostream &OS, unsigned Width) const {
  std::vector<unsigned> Widths = fullWidths();
  std::vector<size_t> Shown = fit(Widths, Width);
  auto PrintRow = [&](auto CellOf) {
    std::string Line;
    raw_string_ostream To(Line);
    for (size_t I : Shown) {
      if (I != Shown.front())
        To.indent(Gap);
      if (Columns[I].Wraps && I == Shown.back())
        return printWrappedRow(OS, Line, CellOf(I), Widths[I]);
      printCell(To, shorten(CellOf(I), Widths[I]), Widths[I],
                Columns[I].Aligned, I == Shown.back());
    }
    OS << StringRef(Line).rtrim(' ') << '\n';
  };
  if (HasTitles)
    PrintRow([&](size_t I) { return StringRef(Columns[I].Title); });
  for (const auto &Row : Rows)
    PrintRow([&](size_t I) { return StringRef(Row[I]); });
}

std::string markdownText(StringRef Text) {
  std::string Out;
  for (char C : Text) {
    if (StringRef("\\`*_<|[]~&").contains(C))
      Out += '\\';
    Out += C == '\n' || C == '\r' ? ' ' : C;
  }
  return Out;
}

void Table::printMarkdown(raw_ostream &OS) const {
  auto PrintRow = [&](auto CellOf) {
    for (size_t I = 0; I != Columns.size(); ++I)
      OS << "| " << CellOf(I) << ' ';
    OS << "|\n";
  };
  PrintRow([&](size_t I) { return markdownText(Columns[I].Title); });
  PrintRow([&](size_t I) {
    return Columns[I].Aligned == Side::Right ? "---:" : "---";
  });
  for (const auto &Row : Rows)
    PrintRow([&](size_t I) { return markdownText(StringRef(Row[I]).trim()); });
}

} // namespace memkit
