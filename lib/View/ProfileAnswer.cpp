// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs and tables.

#include "HttpServer.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

/// Title, total and notes of values.
static void writeHead(OStream &J, const KeyedValues &V) {
  J.attribute("title", jsonText(V.Title));
  J.attribute("total", V.Of.Total);
  J.attribute("unit", isInBytes(V.Of.M) ? "bytes" : "count");
  J.attribute("exact", V.IsExact);
  J.attribute("note", jsonText(V.Note));
  J.attribute("command", jsonText(V.Command));
}

namespace {
/// The texts of lines of the user's code.
class SourceTexts {
public:
  explicit SourceTexts(const Places &Of) {
    for (uint32_t Id = 0; Id != Of.size(); ++Id) {
      const Place &P = Of.place(Id);
      if (P.Kind == PlaceKind::Line && !P.Source.empty())
        Texts[{P.File, P.Line}] = P.Source;
    }
  }
  StringRef find(StringRef File, uint32_t Line) const {
    return Texts.lookup({File, Line});
  }

private:
  DenseMap<std::pair<StringRef, uint32_t>, StringRef> Texts;
};

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

/// The line in `train.py:46 Block.forward`; 0: none.
static uint32_t lineIn(StringRef Text, StringRef File) {
  uint32_t Line = 0;
  if (!Text.consume_front(baseName(File)) || !Text.consume_front(":") ||
      Text.consumeInteger(10, Line))
    return 0;
  return Line;
}

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

namespace {
/// A row of the table.
struct PlaceSum {
  uint32_t Place = 0;
  uint64_t Own = 0;
};
} // namespace

Expected<std::string> TraceView::table(StringRef Query) {
  constexpr uint64_t UsualRows = 200, MaxRows = 10'000;
  Expected<uint64_t> Limit = number(Query, "rows", UsualRows, MaxRows);
  if (!Limit)
    return Limit.takeError();
  // Places are of stacks.
  Expected<Graph *> G = graph("by=stack");
  if (!G)
    return G.takeError();
  Expected<KeyedValues> V = values(Query, **G);
  if (!V)
    return V.takeError();
  const Places &Where = *Over->Where;
  std::vector<uint64_t> Sums(Where.size());
  for (const KeyValue &K : V->Of.Values)
    Sums[Where.of(K.Key)] += K.Value;
  std::vector<PlaceSum> Rows;
  for (uint32_t Id = 0; Id != Sums.size(); ++Id)
    if (Sums[Id])
      Rows.push_back({Id, Sums[Id]});
  stable_sort(
      Rows, [](const PlaceSum &A, const PlaceSum &B) { return A.Own > B.Own; });
  size_t Count = std::min<size_t>(Rows.size(), *Limit);
  uint64_t Left = 0;
  for (const PlaceSum &R : ArrayRef(Rows).drop_front(Count))
    Left += R.Own;
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const PlaceSum &R : ArrayRef(Rows).take_front(Count))
        J.value(Value(R));
    });
  };
  auto PlaceOf = [&](const PlaceSum &R) -> const Place & {
    return Where.place(R.Place);
  };
  J.object([&] {
    writeHead(J, *V);
    J.attributeObject("rows", [&] {
      Column("text", [&](const PlaceSum &R) {
        return jsonText(Where.text(PlaceOf(R)));
      });
      Column("source",
             [&](const PlaceSum &R) { return jsonText(PlaceOf(R).Source); });
      Column("kind", [&](const PlaceSum &R) {
        return unsigned(ownerOfPlace(PlaceOf(R).Kind));
      });
      Column("own", [](const PlaceSum &R) { return R.Own; });
    });
    J.attributeObject("left_out", [&] {
      J.attribute("rows", Rows.size() - Count);
      J.attribute("own", Left);
    });
  });
  return Text;
}

} // namespace memkit
