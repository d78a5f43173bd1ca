// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs.

#include "HttpServer.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

void writeHead(OStream &J, const KeyedValues &V) {
  J.attribute("title", jsonText(V.Title));
  J.attribute("total", V.Of.Total);
  J.attribute("unit", isInBytes(V.Of.M) ? "bytes" : "count");
  J.attribute("exact", V.IsExact);
  J.attribute("note", jsonText(V.Note));
  J.attribute("command", jsonText(V.Command));
}

namespace {
/// The names that nodes use, numbered anew.
class UsedNames {
public:
  uint32_t numberOf(uint32_t Name) {
    auto [At, New] = Numbers.try_emplace(Name, Names.size());
    if (New)
      Names.push_back(Name);
    return At->second;
  }
  ArrayRef<uint32_t> names() const { return Names; }

private:
  DenseMap<uint32_t, uint32_t> Numbers;
  std::vector<uint32_t> Names;
};
} // namespace

static void writeNames(OStream &J, const Graph &G, ArrayRef<uint32_t> Used,
                       const SourceTexts &Sources) {
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (uint32_t Name : Used)
        J.value(Value(G.names()[Name]));
    });
  };
  using FlameName = FlameNames::FlameName;
  auto LineOf = [](const FlameName &N) { return lineIn(N.Function, N.File); };
  J.attributeObject("names", [&] {
    Column("text", [](const FlameName &N) { return jsonText(N.Function); });
    Column("file", [](const FlameName &N) { return jsonText(N.File); });
    Column("line", LineOf);
    Column("source", [&](const FlameName &N) {
      return jsonText(Sources.find(N.File, LineOf(N)));
    });
    Column("kind", [&](const FlameName &N) { return unsigned(G.ownerOf(N)); });
  });
}

Expected<std::string> TraceView::profile(StringRef Query) {
  constexpr uint64_t UsualNodes = 20'000, MaxNodes = 100'000;
  Expected<uint64_t> Limit = number(Query, "nodes", UsualNodes, MaxNodes);
  if (!Limit)
    return Limit.takeError();
  Expected<Graph *> G = graph(Query);
  if (!G)
    return G.takeError();
  Expected<KeyedValues> V = values(Query, **G);
  if (!V)
    return V.takeError();
  if (isWaiting())
    return progress();
  std::vector<FlameNode> Nodes = (*G)->build(V->Of, *Limit);
  UsedNames Used;
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const FlameNode &N : Nodes)
        J.value(Value(N));
    });
  };
  J.object([&] {
    writeHead(J, *V);
    J.attributeObject("nodes", [&] {
      Column("name", [&](const FlameNode &N) { return Used.numberOf(N.Name); });
      Column("depth", [](const FlameNode &N) { return N.Depth; });
      Column("total", [](const FlameNode &N) { return N.Total; });
      Column("self", [](const FlameNode &N) { return N.Self; });
    });
    writeNames(J, **G, Used.names(), SourceTexts(*Over->Where));
  });
  return Text;
}

} // namespace memkit
