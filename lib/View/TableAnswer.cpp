// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values by place: the table of a time point or a range.

#include "ProfileJson.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

namespace {
/// A row of the table.
struct PlaceSum {
  uint32_t Place = 0;
  uint64_t Own = 0;
  uint64_t Total = 0; ///< of the stacks through the place
  uint64_t Blocks = 0;
};

/// A line of code by its texts, which live as long as the trace.
using LineKey = std::tuple<StringRef, uint32_t, StringRef>;
} // namespace

/// The values of all stacks through each line of the user's code. A line that
/// calls itself counts once.
static std::map<LineKey, uint64_t>
totalsByLine(const Trace &T, const OwnTree &Calls, const Profile &Of) {
  std::vector<uint64_t> Sums(Calls.size());
  for (const KeyValue &K : Of.Values)
    Sums[Calls.ofNode(T.view().leaf(K.Key))] += K.Value;
  // A caller's id is lower.
  for (uint32_t Call = Calls.size(); Call-- > 1;)
    Sums[Calls.parent(Call)] += Sums[Call];
  std::map<LineKey, uint64_t> Totals;
  for (uint32_t Call = 1; Call < Calls.size(); ++Call) {
    if (!Sums[Call])
      continue;
    bool IsInner = any_of(Calls.callsOfLine(Call), [&](uint32_t Other) {
      return Other != Call && Calls.isBelow(Call, Other);
    });
    const Place &P = Calls.place(Call);
    if (!IsInner)
      Totals[{P.File, P.Line, P.Name}] += Sums[Call];
  }
  return Totals;
}

/// The rows with own values, the largest first.
static std::vector<PlaceSum> rowsOf(const Places &Where, const KeyedValues &V) {
  std::vector<PlaceSum> Rows(Where.size());
  for (uint32_t Id = 0; Id != Rows.size(); ++Id)
    Rows[Id].Place = Id;
  for (const KeyValue &K : V.Of.Values)
    Rows[Where.of(K.Key)].Own += K.Value;
  for (const KeyValue &K : V.Blocks)
    Rows[Where.of(K.Key)].Blocks += K.Value;
  erase_if(Rows, [](const PlaceSum &R) { return R.Own == 0; });
  stable_sort(
      Rows, [](const PlaceSum &A, const PlaceSum &B) { return A.Own > B.Own; });
  return Rows;
}

std::string tableText(const Trace &T, const Places &Where, const OwnTree &Calls,
                      const KeyedValues &V, size_t Limit,
                      const HeldNames *Held) {
  std::map<LineKey, uint64_t> Totals = totalsByLine(T, Calls, V.Of);
  std::vector<PlaceSum> Rows = rowsOf(Where, V);
  for (PlaceSum &R : Rows) {
    const Place &P = Where.place(R.Place);
    auto At = Totals.find({P.File, P.Line, P.Name});
    R.Total = At == Totals.end() ? R.Own : std::max(R.Own, At->second);
  }
  size_t Count = std::min<size_t>(Rows.size(), Limit);
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
    writeHead(J, V);
    J.attributeObject("rows", [&] {
      Column("text", [&](const PlaceSum &R) {
        return jsonText(Where.text(PlaceOf(R)));
      });
      Column("source", [&](const PlaceSum &R) {
        return jsonText(oneLine(PlaceOf(R).Source));
      });
      Column("file",
             [&](const PlaceSum &R) { return jsonText(PlaceOf(R).File); });
      Column("line", [&](const PlaceSum &R) { return PlaceOf(R).Line; });
      Column("kind", [&](const PlaceSum &R) {
        return unsigned(ownerOfPlace(PlaceOf(R).Kind));
      });
      Column("own", [](const PlaceSum &R) { return R.Own; });
      Column("total", [](const PlaceSum &R) { return R.Total; });
      Column("blocks", [](const PlaceSum &R) { return R.Blocks; });
      if (Held && !Held->empty())
        Column("held_by", [&](const PlaceSum &R) {
          return jsonText(Held->ofPlace(R.Place));
        });
    });
    J.attributeObject("left_out", [&] {
      J.attribute("rows", Rows.size() - Count);
      J.attribute("own", Left);
    });
  });
  return Text;
}

Expected<std::string> TraceView::table(const Question &Q) {
  constexpr uint64_t UsualRows = 200, MaxRows = 10'000;
  Expected<uint64_t> Limit = Q.number("rows", UsualRows, MaxRows);
  if (!Limit)
    return Limit.takeError();
  // Places are of stacks.
  Expected<Graph *> G = graph(Question("table", "by=stack"));
  if (!G)
    return G.takeError();
  Expected<KeyedValues> V = values(Q, **G);
  if (!V)
    return V.takeError();
  if (isWaiting())
    return progress();
  if (!Calls)
    Calls.emplace(*In.S, *Over->Where);
  return tableText(trace(), *Over->Where, *Calls, *V, *Limit, &*Held);
}

} // namespace memkit
