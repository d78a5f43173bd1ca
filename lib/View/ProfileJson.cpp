// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of flame graphs.

#include "ProfileJson.h"
#include "Support/Json.h"

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

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string GraphNames::keyOf(const GraphName &Row) {
  std::string Key = Row.Text;
  Key += '\0';
  Key += Row.File;
  Key += '\0';
  Key += static_cast<char>(Row.Owner);
  return Key;
}

uint32_t GraphNames::add(GraphName Row) {
  auto [At, New] = Numbers.try_emplace(keyOf(Row), Rows.size());
  if (New)
    Rows.push_back(std::move(Row));
  return At->second;
}

void GraphNames::truncate(size_t Size) {
  for (; Rows.size() > Size; Rows.pop_back())
    Numbers.erase(keyOf(Rows.back()));
}

void GraphNames::write(OStream &J, size_t First) const {
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const GraphName &Row : ArrayRef(Rows).drop_front(First))
        J.value(Value(Row));
    });
  };
  J.object([&] {
    Column("text", [](const GraphName &R) { return jsonText(R.Text); });
    Column("file", [](const GraphName &R) { return jsonText(R.File); });
    Column("line", [](const GraphName &R) { return R.Line; });
    Column("source", [](const GraphName &R) { return jsonText(R.Source); });
    Column("kind", [](const GraphName &R) { return unsigned(R.Owner); });
    if (ShowsHolders)
      Column("held_by", [](const GraphName &R) { return jsonText(R.HeldBy); });
  });
}

GraphNames::GraphName nameRow(const FlameNames::FlameName &N, CodeOwner Owner,
                              const SourceTexts &Sources,
                              const HeldNames *Held) {
  uint32_t Line = lineIn(N.Function, N.File);
  std::string HeldBy = Held ? Held->ofLine(N.File, Line).str() : "";
  return {N.Function.str(),  N.File.str(), Sources.find(N.File, Line).str(),
          std::move(HeldBy), Line,         Owner};
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void writeNodes(OStream &J, ArrayRef<FlameNode> Nodes, GraphNames &Names,
                function_ref<GraphNames::GraphName(uint32_t)> RowOf) {
  DenseMap<uint32_t, uint32_t> Numbers;
  auto NumberOf = [&](uint32_t Name) {
    auto [At, New] = Numbers.try_emplace(Name, 0);
    if (New)
      At->second = Names.add(RowOf(Name));
    return At->second;
  };
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const FlameNode &N : Nodes)
        J.value(Value(N));
    });
  };
  J.attributeObject("nodes", [&] {
    Column("name", [&](const FlameNode &N) { return NumberOf(N.Name); });
    Column("depth", [](const FlameNode &N) { return N.Depth; });
    Column("total", [](const FlameNode &N) { return N.Total; });
    Column("self", [](const FlameNode &N) { return N.Self; });
  });
}

} // namespace memkit
