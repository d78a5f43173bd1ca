// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of CPython's code objects.

#include "CodeLines.h"

using namespace llvm;
using namespace memkit;

static uint32_t lineOrNone(int64_t Line) {
  return Line > 0 && Line <= INT32_MAX ? uint32_t(Line) : 0;
}

/// Up to 3.9: pairs of a step in bytes of code and a step in lines.
static uint32_t lineByPairs(StringRef Table, int64_t Line, int64_t Offset) {
  int64_t At = 0;
  for (size_t I = 0; I + 1 < Table.size(); I += 2) {
    At += uint8_t(Table[I]);
    if (At > Offset)
      break;
    Line += int8_t(Table[I + 1]);
  }
  return lineOrNone(Line);
}

/// 3.10: pairs of the length of a range and the step to its line; -128: the
/// range has no line.
static uint32_t lineByRanges(StringRef Table, int64_t Line, int64_t Offset) {
  constexpr int8_t NoLine = -128;
  int64_t End = 0;
  for (size_t I = 0; I + 1 < Table.size(); I += 2) {
    End += uint8_t(Table[I]);
    int8_t Step = int8_t(Table[I + 1]);
    Line += Step == NoLine ? 0 : Step;
    if (End > Offset)
      break;
  }
  return lineOrNone(Line);
}

namespace {
/// The bytes of an entry of a table of 3.11 or newer.
class LocationBytes {
public:
  explicit LocationBytes(StringRef Table) : Rest(Table) {}
  bool empty() const { return Rest.empty(); }
  uint8_t byte() {
    if (Rest.empty())
      return 0;
    uint8_t Byte = uint8_t(Rest[0]);
    Rest = Rest.drop_front();
    return Byte;
  }
  /// Six bits a byte, lowest first.
  uint32_t varint() {
    uint32_t Value = 0;
    for (unsigned Shift = 0; Shift < 32; Shift += 6) {
      uint8_t Byte = byte();
      Value |= uint32_t(Byte & 63) << Shift;
      if (!(Byte & 64))
        break;
    }
    return Value;
  }
  int64_t signedVarint() {
    uint32_t Value = varint();
    return Value & 1 ? -int64_t(Value >> 1) : int64_t(Value >> 1);
  }

private:
  StringRef Rest;
};
} // namespace

/// 3.11 and newer: entries with the number of code units and a kind of
/// location.
static uint32_t lineByLocations(StringRef Table, int64_t Line, int64_t Offset) {
  constexpr uint8_t OneLine0 = 10, OneLine2 = 12, NoColumns = 13, Long = 14,
                    None = 15;
  int64_t Unit = Offset / 2, At = 0;
  for (LocationBytes In(Table); !In.empty();) {
    uint8_t First = In.byte();
    uint8_t Kind = First >> 3 & 15;
    At += (First & 7) + 1;
    if (Kind == Long) {
      Line += In.signedVarint();
      In.varint();
      In.varint();
      In.varint();
    } else if (Kind == NoColumns) {
      Line += In.signedVarint();
    } else if (Kind >= OneLine0 && Kind <= OneLine2) {
      Line += Kind - OneLine0;
      In.byte();
      In.byte();
    } else if (Kind != None) {
      In.byte();
    }
    if (At > Unit)
      return Kind == None ? 0 : lineOrNone(Line);
  }
  return 0;
}

uint32_t memkit::codeLine(uint32_t Version, StringRef Table, int32_t FirstLine,
                          int64_t Offset) {
  if (Table.empty() || Offset < 0)
    return lineOrNone(FirstLine);
  if (Version >= 0x030B0000)
    return lineByLocations(Table, FirstLine, Offset);
  if (Version >= 0x030A0000)
    return lineByRanges(Table, FirstLine, Offset * 2);
  return lineByPairs(Table, FirstLine, Offset);
}
