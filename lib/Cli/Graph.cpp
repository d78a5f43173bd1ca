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

} // namespace memkit
