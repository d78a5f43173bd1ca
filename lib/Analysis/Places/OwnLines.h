// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of the user's own code on the stacks of a run, and their calls.

#ifndef MEMKIT_LIB_ANALYSIS_OWNLINES_H
#define MEMKIT_LIB_ANALYSIS_OWNLINES_H

#include "memkit/Model/Places.h"

namespace memkit {

/// A line, and a line of a function that the line calls: Places::place().
struct LineCall {
  uint32_t Line = 0, Callee = 0;
};

/// The own lines of a trace. Lines that only call others become places, too.
/// Takes time and memory in proportion to the trace's nodes and frames. T must
/// outlive the object.
class OwnLines {
public:
  OwnLines(const Trace &T, Places &Where);

  /// Each pair once.
  llvm::ArrayRef<LineCall> calls() const { return Calls; }
  /// A line of a function of the trace; none: the function has no own line.
  std::optional<uint32_t> lineOf(uint32_t Function) const {
    uint32_t Line = OfFunction[Function];
    return Line ? std::optional(Line - 1) : std::nullopt;
  }

  /// Calls Do for the lines of a stack, innermost first, until Do returns true.
  void findLine(uint32_t Stack, llvm::function_ref<bool(uint32_t)> Do) const;

private:
  class LineNumbers;
  void findCalls();
  llvm::ArrayRef<uint32_t> linesOf(uint32_t Node) const {
    uint32_t Frame = T.frameOf(Node);
    return llvm::ArrayRef(Lines).slice(First[Frame],
                                       First[Frame + 1] - First[Frame]);
  }

  const Trace &T;
  /// The lines of each frame, outermost first: Lines[First[F]..First[F + 1]).
  std::vector<uint32_t> First{0, 0}, Lines;
  std::vector<LineCall> Calls;
  std::vector<uint32_t> OfFunction; ///< by function, the line + 1
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_OWNLINES_H
