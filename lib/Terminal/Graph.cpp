// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws series as small graphs in the terminal.

#include "Graph.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

/// Scales Value so that Highest is Max steps. 0 has no steps, any other value
/// at least one.
static unsigned stepsOf(uint64_t Value, uint64_t Highest, unsigned Max) {
  if (Value == 0)
    return 0;
  double Share = double(Value) / double(Highest) * Max;
  return std::clamp(static_cast<unsigned>(Share + 0.5), 1u, Max);
}

/// From nothing to a full character.
static ArrayRef<StringLiteral> fillings(bool Ascii) {
  static constexpr StringLiteral Blocks[] = {" ", "▁", "▂", "▃", "▄",
                                             "▅", "▆", "▇", "█"};
  static constexpr StringLiteral Letters[] = {" ", ".", "#"};
  return Ascii ? ArrayRef<StringLiteral>(Letters)
               : ArrayRef<StringLiteral>(Blocks);
}

std::vector<std::string> drawColumns(ArrayRef<uint64_t> Values, unsigned Lines,
                                     bool Ascii) {
  ArrayRef<StringLiteral> Parts = fillings(Ascii);
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

std::vector<std::string> drawCurve(ArrayRef<uint64_t> Values,
                                   ArrayRef<uint64_t> Line, uint64_t Top,
                                   unsigned Lines, bool Ascii) {
  ArrayRef<StringLiteral> Parts = fillings(Ascii);
  unsigned PerLine = Parts.size() - 1;
  std::vector<std::string> Out(Lines);
  for (size_t Column = 0; Column != Values.size(); ++Column) {
    unsigned Left = stepsOf(Values[Column], Top, Lines * PerLine);
    unsigned Above = 0; // the line's place, counted from below; 0: none
    if (!Line.empty() && Line[Column] > Values[Column])
      Above = stepsOf(Line[Column], Top, Lines);
    for (unsigned Row = 1; Row <= Lines; ++Row) {
      unsigned Here = std::min(Left, PerLine);
      bool IsLine = Row == Above && !Here;
      StringRef Mark = Ascii ? "-" : "─";
      Out[Lines - Row] += IsLine ? Mark : StringRef(Parts[Here]);
      Left -= Here;
    }
  }
  return Out;
}

} // namespace memkit
