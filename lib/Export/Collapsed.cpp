// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapsed stacks.

#include "Collapsed.h"
#include "PathTable.h"

using namespace llvm;

namespace memkit {

void writeCollapsed(raw_ostream &OS, ShownTree T, const Profile &P) {
  FlameNames Names(T, FlameNames::Distinct::ByFunction);
  NodeRanks Ranks(T);
  FlameBuilder Builder(T, Ranks, Names);
  std::vector<FlameNode> Nodes = Builder.build(P, /*MaxNodes=*/0);
  std::vector<std::string> Texts;
  for (const FlameNames::FlameName &N : Names.names())
    Texts.push_back(pathName(N.Function));

  std::string Line;
  std::vector<size_t> Ends; // of Line, by depth
  for (const FlameNode &N : Nodes) {
    Ends.resize(N.Depth);
    Line.resize(N.Depth ? Ends.back() : 0);
    if (N.Depth)
      Line += ';';
    Line += Texts[N.Name];
    Ends.push_back(Line.size());
    if (N.Self)
      OS << Line << ' ' << N.Self << '\n';
  }
}

void writeCollapsedLine(raw_ostream &OS, ArrayRef<ShownFrame> Stack,
                        uint64_t Value) {
  for (size_t I = Stack.size(); I-- != 0;)
    OS << pathName(Stack[I].Function) << (I ? ";" : "");
  OS << (Stack.empty() ? "(no stack) " : " ") << Value << '\n';
}

} // namespace memkit
