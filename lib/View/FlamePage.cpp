// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs as a page that is a file.

#include "FlamePage.h"
#include "Export/FlameOrder.h"
#include "FileData.h"
#include "Model/Query/FrameOwners.h"
#include "Page.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

using json::OStream;

namespace {
class FlamePageWriter {
public:
  explicit FlamePageWriter(const FlamePage &P)
      : P(P), Where(P.Query.stats()), Owners(trace(), Where, P.By),
        Sources(Where), Names(P.Query.tree(), FlameNames::Distinct::ByPlace) {
    if (P.HasStacks)
      Calls.emplace(P.Query.stats(), Where);
  }

  /// The data, with graphs of up to MaxNodes nodes; nothing if MaxBytes are too
  /// few. 0: no limit of nodes.
  std::optional<std::string> write(size_t MaxNodes, uint64_t MaxBytes);

private:
  const Trace &trace() const { return P.Query.trace(); }
  bool add(FileData &To, const Profile &Of, ArrayRef<FlameNode> Nodes);
  std::string profileText(GraphNames &Table, const KeyedValues &V,
                          ArrayRef<FlameNode> Nodes);
  std::string startText(size_t MaxNodes) const;

  const FlamePage &P;
  Places Where;
  FrameOwners Owners;
  SourceTexts Sources;
  FlameNames Names;
  std::optional<OwnTree> Calls;
  std::vector<std::string> Listed; ///< the names of the graphs added
};
} // namespace

std::string FlamePageWriter::profileText(GraphNames &Table,
                                         const KeyedValues &V,
                                         ArrayRef<FlameNode> Nodes) {
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  J.object([&] {
    writeHead(J, V);
    writeNodes(J, Nodes, Table, [&](uint32_t Name) {
      const FlameNames::FlameName &N = Names.names()[Name];
      return nameRow(N, Owners.of(N.Function, N.File), Sources);
    });
  });
  return Text;
}

bool FlamePageWriter::add(FileData &To, const Profile &Of,
                          ArrayRef<FlameNode> Nodes) {
  constexpr size_t MaxRows = 200;
  std::string Key = "?listed=" + std::to_string(Listed.size());
  KeyedValues V;
  V.Of = Of;
  V.Title = Of.Name;
  V.Command = P.Command;
  std::vector<HeldAnswer> Answers{
      {"profile" + Key, profileText(To.names(), V, Nodes)}};
  if (Calls)
    Answers.push_back(
        {"table" + Key, tableText(trace(), Where, *Calls, V, MaxRows)});
  Listed.push_back(Of.Name);
  return To.add(Answers);
}

/// The columns of a table without rows.
static json::Object columns() {
  json::Object Out;
  for (StringRef Key : {"id", "begin_ns", "time_ns", "end_ns", "kind", "text",
                        "pid", "name", "how", "peak_bytes", "live_bytes"})
    Out[Key] = json::Array();
  return Out;
}

/// What the page shows beside the graphs.
std::string FlamePageWriter::startText(size_t MaxNodes) const {
  json::Array Sentences{
      "This page holds the flame graphs that memflame was asked for: run "
      "memview on the trace for every moment, the timeline and growth."};
  if (MaxNodes)
    Sentences.push_back("Each flame graph shows the " + formatCount(MaxNodes) +
                        " largest frames.");
  json::Array Graphs;
  for (const std::string &Name : Listed)
    Graphs.push_back(jsonText(Name));
  const Trace &T = trace();
  json::Object Start{{"memkit", MEMKIT_VERSION},
                     {"trace", jsonText(P.Trace)},
                     {"program", jsonText(oneLine(queryProgram(T)))},
                     {"command", jsonText(commandText(T.header().Command))},
                     {"end_ns", T.endNs()},
                     {"state", T.isComplete() ? "finished" : "cut"},
                     {"verdict", jsonText(P.Title)},
                     {"alarm", false},
                     {"facts", json::Array()},
                     {"notes", json::Array()},
                     {"spaces", json::Array()},
                     {"heaps", json::Array()},
                     {"steps", columns()},
                     {"marks", columns()},
                     {"processes", columns()},
                     {"curves", json::Array()},
                     {"filters", json::Array()},
                     {"devices", json::Array()},
                     {"groups", json::Array()},
                     {"views", json::Array{"flame"}},
                     {"has_events", false},
                     {"moments", nullptr},
                     {"listed", std::move(Graphs)},
                     {"inverted", P.IsInverted},
                     {"left_out", std::move(Sentences)}};
  return formatv("{0}", json::Value(std::move(Start))).str();
}

std::optional<std::string> FlamePageWriter::write(size_t MaxNodes,
                                                  uint64_t MaxBytes) {
  FileData Data(MaxBytes);
  Listed.clear();
  FlameBuilder Builder(P.Query.tree(), P.Ranks, Names);
  for (const Profile &Of : P.Profiles)
    if (!add(Data, Of, Builder.build(Of, MaxNodes)))
      return std::nullopt;
  if (P.InOrder &&
      !add(Data, *P.InOrder,
           nodesInOrder(P.Query.tree(), Names, *P.InOrder, MaxNodes)))
    return std::nullopt;
  if (!Data.add({{"start", startText(MaxNodes)}}))
    return std::nullopt;
  return Data.text();
}

void writeFlamePage(raw_ostream &OS, const FlamePage &P) {
  constexpr uint64_t UsualBytes = 2 << 20;
  constexpr size_t UsualNodes = 20'000, FewNodes = 100;
  FlamePageWriter Writer(P);
  std::optional<std::string> Data;
  for (size_t Nodes = UsualNodes; !P.Full && !Data && Nodes >= FewNodes;
       Nodes /= 2)
    Data = Writer.write(Nodes, UsualBytes);
  if (!Data)
    Data = Writer.write(P.Full ? 0 : FewNodes, UINT64_MAX);
  OS << filePage(*Data);
}

} // namespace memkit
