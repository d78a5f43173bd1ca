// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Series as small graphs in the terminal.

#include "memkit/Support/Graph.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace memkit {

bool isUtf8Locale() {
  for (const char *Name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    // The first that says anything counts.
    const char *Value = getenv(Name);
    if (Value && *Value)
      return StringRef(Value).contains_insensitive("UTF-8") ||
             StringRef(Value).contains_insensitive("UTF8");
  }
  return false;
}

/// Values as so many steps of Highest, of which 0 has none and others one at
/// the least.
static unsigned stepsOf(uint64_t Value, uint64_t Highest, unsigned Max) {
  if (Value == 0)
    return 0;
  double Share = double(Value) / double(Highest) * Max;
  return std::clamp(static_cast<unsigned>(Share + 0.5), 1u, Max);
}

std::vector<std::string> drawColumns(ArrayRef<uint64_t> Values, unsigned Lines,
                                     bool Ascii) {
  static constexpr StringLiteral Blocks[] = {" ", "▁", "▂", "▃", "▄",
                                             "▅", "▆", "▇", "█"};
  static constexpr StringLiteral Letters[] = {" ", ".", "#"};
  ArrayRef<StringLiteral> Parts = Blocks;
  if (Ascii)
    Parts = Letters;
  unsigned PerLine = Parts.size() - 1;
  uint64_t Highest =
      Values.empty() ? 0 : *std::max_element(Values.begin(), Values.end());
  std::vector<std::string> Out(Lines);
  for (uint64_t Value : Values) {
    unsigned Left = stepsOf(Value, Highest, Lines * PerLine);
    for (size_t Line = Lines; Line-- != 0;) {
      unsigned Here = std::min(Left, PerLine);
      Out[Line] += Parts[Here];
      Left -= Here;
    }
  }
  return Out;
}

std::vector<uint64_t> highestOf(ArrayRef<SeriesPoint> Points, uint64_t BeginNs,
                                uint64_t EndNs, unsigned Columns) {
  std::vector<uint64_t> Out(Columns);
  if (EndNs <= BeginNs || Columns == 0)
    return Out;
  double PerColumn = double(EndNs - BeginNs) / Columns;
  auto ColumnOf = [&](uint64_t TimeNs) {
    if (TimeNs <= BeginNs)
      return 0u;
    if (TimeNs >= EndNs)
      return Columns - 1;
    return std::min(Columns - 1, static_cast<unsigned>(
                                     double(TimeNs - BeginNs) / PerColumn));
  };
  for (size_t I = 0; I != Points.size(); ++I) {
    uint64_t Until = I + 1 == Points.size() ? EndNs : Points[I + 1].TimeNs;
    unsigned First = ColumnOf(Points[I].TimeNs), Last = ColumnOf(Until);
    // One that lasts until a column begins is not in it.
    if (Last > First && double(Until - BeginNs) <= Last * PerColumn)
      --Last;
    for (unsigned At = First; At <= Last; ++At)
      Out[At] = std::max(Out[At], Points[I].Value);
  }
  return Out;
}

} // namespace memkit
