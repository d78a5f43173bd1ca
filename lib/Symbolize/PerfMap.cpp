// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of JIT code.

#include "PerfMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

/// Bytes kept of a line: two numbers and a name.
static constexpr size_t MaxLineBytes = PerfMapScan::MaxNameBytes + 64;
/// A hostile map may have every address in every line.
static constexpr uint64_t MaxMatches = uint64_t(1) << 22;

/// Reads a hexadecimal number, with or without 0x, and the spaces after it.
static bool takeNumber(StringRef &Text, uint64_t &Value) {
  Text.consume_front("0x");
  size_t End = Text.find(' ');
  if (End == 0 || End == StringRef::npos ||
      !to_integer(Text.take_front(End), Value, 16))
    return false;
  Text = Text.drop_front(End).ltrim(' ');
  return true;
}

/// A name that is safe in a trace and on a terminal.
static std::string cleanName(StringRef Name) {
  Name = Name.take_front(PerfMapScan::MaxNameBytes);
  std::string Clean = json::isUTF8(Name) ? Name.str() : json::fixUTF8(Name);
  for (char &C : Clean)
    if (uint8_t(C) < ' ' || C == 0x7f)
      C = '?';
  return Clean;
}

void PerfMapScan::line(StringRef Text) {
  uint64_t Start, Size;
  Text = Text.rtrim('\r');
  if (!takeNumber(Text, Start) || !takeNumber(Text, Size) || Text.empty() ||
      Start + Size <= Start)
    return;
  auto First = std::lower_bound(Addresses.begin(), Addresses.end(), Start);
  auto Last = std::lower_bound(First, Addresses.end(), Start + Size);
  if (First == Last)
    return;
  std::string Name = cleanName(Text);
  for (; First != Last && Matches < MaxMatches; ++First, ++Matches)
    Names[size_t(First - Addresses.begin())] = Name;
}

bool PerfMapScan::feed(StringRef Bytes) {
  for (size_t End; (End = Bytes.find('\n')) != StringRef::npos;
       Bytes = Bytes.drop_front(End + 1)) {
    StringRef Text = Bytes.take_front(End);
    if (!Cut.empty()) {
      Cut += Text.take_front(MaxLineBytes - Cut.size());
      Text = Cut;
    }
    line(Text);
    Cut.clear();
    if (Matches >= MaxMatches)
      return false;
  }
  Cut += Bytes.take_front(MaxLineBytes - Cut.size());
  return true;
}
