// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture of characters.

#include "Cells.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;
using namespace memkit;

namespace {
constexpr uint32_t Unknown = '?';

struct Decoded {
  uint32_t CodePoint;
  size_t Bytes;
};
} // namespace

/// The first code point of a text that is not empty.
static Decoded decodeFirst(StringRef Text) {
  const auto *At = reinterpret_cast<const UTF8 *>(Text.data());
  const UTF8 *Next = At;
  UTF32 Out = 0;
  UTF32 *To = &Out;
  size_t Bytes = getNumBytesForUTF8(*At);
  if (Bytes > Text.size() ||
      ConvertUTF8toUTF32(&Next, At + Bytes, &To, &Out + 1, strictConversion) !=
          conversionOK)
    return {Unknown, 1};
  return {Out, Bytes};
}

/// The code point as a picture shows it: nothing that moves the cursor.
static uint32_t shownCodePoint(uint32_t C) {
  constexpr uint32_t FirstPrinted = 0x20, Delete = 0x7F, LastC1 = 0x9F;
  return C < FirstPrinted || (C >= Delete && C <= LastC1) ? Unknown : C;
}

unsigned memkit::columnsOf(uint32_t CodePoint) {
  constexpr uint32_t LastAscii = 0x7F;
  if (CodePoint <= LastAscii)
    return 1;
  std::string Bytes;
  appendCodePoint(Bytes, CodePoint);
  int Columns = sys::unicode::columnWidthUTF8(Bytes);
  return Columns < 0 ? 1 : std::min(Columns, 2);
}

void memkit::appendCodePoint(std::string &To, uint32_t CodePoint) {
  char Buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *End = Buffer;
  if (ConvertCodePointToUTF8(CodePoint, End))
    To.append(Buffer, End);
  else
    To += '?';
}

unsigned memkit::columnsOfText(StringRef Text) {
  unsigned Columns = 0;
  while (!Text.empty()) {
    Decoded D = decodeFirst(Text);
    Columns += columnsOf(shownCodePoint(D.CodePoint));
    Text = Text.drop_front(D.Bytes);
  }
  return Columns;
}

std::string memkit::fitText(StringRef Text, unsigned Width) {
  if (columnsOfText(Text) <= Width)
    return Text.str();
  if (!Width)
    return "";
  unsigned Columns = 0;
  size_t Bytes = 0;
  while (true) {
    Decoded D = decodeFirst(Text.drop_front(Bytes));
    unsigned Next = columnsOf(shownCodePoint(D.CodePoint));
    if (Columns + Next > Width - 1)
      return Text.take_front(Bytes).str() + "~";
    Columns += Next;
    Bytes += D.Bytes;
  }
}

unsigned Cells::write(unsigned Row, unsigned Column, StringRef Text,
                      uint8_t Style) {
  while (!Text.empty()) {
    Decoded D = decodeFirst(Text);
    Text = Text.drop_front(D.Bytes);
    uint32_t C = shownCodePoint(D.CodePoint);
    unsigned Columns = columnsOf(C);
    if (!Columns)
      continue; // a combining mark has no cell
    if (Row < Height && Column + Columns <= Width) {
      ScreenCell *To = &Grid[size_t(Row) * Width + Column];
      To[0] = {C, Style};
      if (Columns == 2)
        To[1] = {0, Style};
    }
    Column += Columns;
  }
  return Column;
}

void Cells::addStyle(unsigned Row, unsigned Column, unsigned Count,
                     uint8_t Style) {
  if (Row >= Height)
    return;
  for (unsigned End = std::min(Width, Column + Count); Column < End; ++Column)
    Grid[size_t(Row) * Width + Column].Style |= Style;
}

std::string Cells::text() const {
  std::string Out;
  for (unsigned Row = 0; Row != Height; ++Row) {
    std::string Line;
    for (unsigned Column = 0; Column != Width; ++Column)
      if (uint32_t C = at(Row, Column).CodePoint)
        appendCodePoint(Line, C);
    Out += StringRef(Line).rtrim(' ');
    Out += '\n';
  }
  size_t End = StringRef(Out).rtrim('\n').size();
  Out.resize(End);
  if (!Out.empty())
    Out += '\n';
  return Out;
}
