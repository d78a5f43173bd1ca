// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values side by side, in the order of a profile.

#include "FlameOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace llvm;

namespace memkit {

/// The smallest value such that at most Count values of P are as large; 0
/// without a limit.
static uint64_t minOf(const Profile &P, size_t Count) {
  if (!Count || P.Values.size() <= Count)
    return 0;
  std::vector<uint64_t> Values;
  for (const KeyValue &V : P.Values)
    Values.push_back(V.Value);
  std::nth_element(Values.begin(), Values.begin() + Count, Values.end(),
                   std::greater<>());
  return Values[Count] + 1;
}

/// Writes the names of a stack into Path, from the outermost.
static void readPath(ShownTree T, FlameNames &Names, uint32_t Key,
                     std::vector<uint32_t> &Path) {
  const StackView &V = T.view();
  Path.clear();
  for (uint32_t N = V.leaf(Key); N; N = V.parent(N))
    for (const ShownFrame &F : T.shown(V.frameOf(N)))
      Path.push_back(Names.find(&F - T.allShown().data()));
  std::reverse(Path.begin(), Path.end());
  if (Path.empty())
    Path.push_back(FlameNames::NoStack);
}

void drawInOrder(ShownTree T, FlameNames &Names, const Profile &P, size_t Max,
                 function_ref<void(ArrayRef<uint32_t>, uint64_t)> Draw) {
  uint64_t Min = minOf(P, Max), Folded = 0;
  std::vector<uint32_t> Path;
  auto Fold = [&] {
    if (uint64_t Value = std::exchange(Folded, 0))
      Draw(FlameNames::Smaller, Value);
  };
  for (const KeyValue &V : P.Values) {
    if (V.Value < Min) {
      Folded += V.Value;
      continue;
    }
    Fold();
    readPath(T, Names, V.Key, Path);
    Draw(Path, V.Value);
  }
  Fold();
}

std::vector<FlameNode> nodesInOrder(ShownTree T, FlameNames &Names,
                                    const Profile &P, size_t Max) {
  std::vector<FlameNode> Nodes;
  std::vector<size_t> Opened;
  drawInOrder(T, Names, P, Max, [&](ArrayRef<uint32_t> Path, uint64_t Value) {
    size_t Same = 0;
    while (Same < std::min(Path.size(), Opened.size()) &&
           Nodes[Opened[Same]].Name == Path[Same])
      ++Same;
    // A node that has a value already gets no children after it.
    if (Same && Same == Opened.size() && Same < Path.size())
      --Same;
    Opened.resize(Same);
    for (; Same != Path.size(); ++Same) {
      Opened.push_back(Nodes.size());
      Nodes.push_back({Path[Same], static_cast<uint32_t>(Same)});
    }
    for (size_t Index : Opened)
      Nodes[Index].Total += Value;
    Nodes[Opened.back()].Self += Value;
  });
  return Nodes;
}

} // namespace memkit
