// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of the user's own code on the stacks of a run, and their calls.

#include "OwnLines.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit {

/// Lines by file, line and function.
class OwnLines::LineNumbers {
public:
  explicit LineNumbers(Places &Where) : Where(Where) {
    for (uint32_t Id = 0; Id != Where.size(); ++Id)
      if (const Place &P = Where.place(Id); P.Kind == PlaceKind::Line)
        Known.try_emplace(keyOf(P), Id);
  }

  uint32_t number(const Place &P) {
    auto [At, New] = Known.try_emplace(keyOf(P), Where.size());
    if (New)
      Where.add(P);
    return At->second;
  }

private:
  static std::string keyOf(const Place &P) {
    return (P.File + ":" + Twine(P.Line) + ":" + P.Name).str();
  }

  Places &Where;
  StringMap<uint32_t> Known;
};

OwnLines::OwnLines(const Trace &T, Places &Where)
    : T(T), OfFunction(T.numFunctions() + 1) {
  LineNumbers Numbers(Where);
  for (uint32_t Frame = 1; Frame <= T.numFrames(); ++Frame) {
    for (const ShownFrame &F : reverse(T.unfolded(Frame))) {
      std::optional<Place> P = Where.ofFrames(F);
      if (!P || P->Kind != PlaceKind::Line)
        continue;
      Lines.push_back(Numbers.number(*P));
      OfFunction[F.FunctionId] = Lines.back() + 1;
    }
    First.push_back(Lines.size());
  }
  findCalls();
}

void OwnLines::findCalls() {
  DenseSet<std::pair<uint32_t, uint32_t>> Known;
  // The innermost line of each node + 1; 0: none.
  std::vector<uint32_t> Inner(T.numNodes() + 1);
  for (uint32_t Node = 1; Node < Inner.size(); ++Node) {
    uint32_t Last = Inner[T.parent(Node)];
    for (uint32_t Line : linesOf(Node)) {
      if (Last && Known.insert({Last - 1, Line}).second)
        Calls.push_back({Last - 1, Line});
      Last = Line + 1;
    }
    Inner[Node] = Last;
  }
}

void OwnLines::findLine(uint32_t Stack, function_ref<bool(uint32_t)> Do) const {
  for (uint32_t Node = T.leaf(Stack); Node; Node = T.parent(Node))
    for (uint32_t Line : reverse(linesOf(Node)))
      if (Do(Line))
        return;
}

} // namespace memkit
