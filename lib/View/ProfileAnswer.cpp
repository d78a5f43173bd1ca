// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs.

#include "HttpServer.h"
#include "ProfileJson.h"

using namespace llvm;

namespace memkit {

using json::OStream;

Expected<std::string> TraceView::profile(const Question &Q) {
  constexpr uint64_t UsualNodes = 20'000, MaxNodes = 100'000;
  Expected<uint64_t> Limit = Q.number("nodes", UsualNodes, MaxNodes);
  if (!Limit)
    return Limit.takeError();
  Expected<Graph *> G = graph(Q);
  if (!G)
    return G.takeError();
  Expected<KeyedValues> V = values(Q, **G);
  if (!V)
    return V.takeError();
  if (isWaiting())
    return progress();
  std::vector<FlameNode> Nodes = (*G)->build(V->Of, *Limit);
  GraphNames Own;
  SourceTexts Sources(*Over->Where);
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  GraphNames &Names = SharedNames ? *SharedNames : Own;
  if (!Held->empty())
    Names.showHolders();
  J.object([&] {
    writeHead(J, *V);
    writeNodes(J, Nodes, Names, [&](uint32_t Name) {
      const FlameNames::FlameName &N = (*G)->names()[Name];
      return nameRow(N, (*G)->ownerOf(N), Sources, &*Held);
    });
    if (!SharedNames) {
      J.attributeBegin("names");
      Own.write(J);
      J.attributeEnd();
    }
  });
  return Text;
}

} // namespace memkit
