// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flame graph of two groups of runs.

#include "DiffTree.h"
#include "Analysis/Places/LineAlignment.h"
#include "memkit/Model/SteadyNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit {

static constexpr uint32_t NotSeen = UINT32_MAX;

namespace {
/// The part of a run's tree that has memory.
class RunTree {
public:
  RunTree(const DiffRuns &Runs, size_t Run, Graph &G, Metric M, uint32_t Space);

  struct RunNode {
    uint32_t Parent, Name; ///< Name: of the graph
    uint64_t Self = 0;
  };
  /// A parent comes first; the first node is the root.
  std::vector<RunNode> Nodes{{0, 0}};
  /// The names that nodes use.
  std::vector<uint32_t> Names;

private:
  uint32_t nodeOf(uint32_t Leaf);
  uint32_t childOf(uint32_t Parent, uint32_t Name);

  Graph &G;
  std::vector<uint32_t> OfView; ///< by node of the graph's view
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Children;
  DenseMap<uint32_t, bool> IsUsed;
};
} // namespace

RunTree::RunTree(const DiffRuns &Runs, size_t Run, Graph &G, Metric M,
                 uint32_t Space)
    : G(G), OfView(G.tree().view().numNodes() + 1, NotSeen) {
  Profile P = makeProfile(
      Runs.run(Run), M,
      [&](const StackStats &R) { return G.keyOf(R.Heap, R.Key, 0); }, Space);
  OfView[0] = 0;
  for (const KeyValue &K : P.Values) {
    uint32_t Leaf = G.tree().view().leaf(K.Key);
    uint32_t Node = Leaf ? nodeOf(Leaf) : childOf(0, FlameNames::NoStack);
    Nodes[Node].Self += K.Value;
  }
}

uint32_t RunTree::childOf(uint32_t Parent, uint32_t Name) {
  auto [At, New] = Children.try_emplace({Parent, Name}, Nodes.size());
  if (New) {
    Nodes.push_back({Parent, Name});
    if (IsUsed.try_emplace(Name, true).second)
      Names.push_back(Name);
  }
  return At->second;
}

uint32_t RunTree::nodeOf(uint32_t Leaf) {
  const StackView &V = G.tree().view();
  SmallVector<uint32_t, 64> Way;
  uint32_t Node = Leaf;
  for (; OfView[Node] == NotSeen; Node = V.parent(Node))
    Way.push_back(Node);
  uint32_t At = OfView[Node];
  const ShownFrame *First = G.tree().allShown().data();
  for (uint32_t N : reverse(Way)) {
    for (const ShownFrame &F : reverse(G.tree().shown(V.frameOf(N))))
      At = childOf(At, G.nameOf(static_cast<uint32_t>(&F - First)));
    OfView[N] = At;
  }
  return At;
}

namespace {
/// Numbers the names of all runs: functions are the same under the rules of
/// StackKeys.h, their lines if they are counterparts.
class NameMatcher {
public:
  /// The number of each name of the run. Runs are added from the last to the
  /// first, so that names look as in the last run.
  DenseMap<uint32_t, uint32_t> add(const KeyRules &Rules, const Graph &G,
                                   ArrayRef<uint32_t> Used,
                                   const SourceTexts &Sources);
  std::vector<DiffName> All;

private:
  /// A name with a line; Texts are those of the trace.
  struct NamedLine {
    FunctionLine Text;
    uint32_t Number = 0; ///< of All; of a run's own names: of the graph
  };
  uint32_t newName(const Graph &G, uint32_t Name, const SourceTexts &Sources);
  StringMap<uint32_t> Plain;
  StringMap<std::vector<NamedLine>> Lines;
};
} // namespace

uint32_t NameMatcher::newName(const Graph &G, uint32_t Name,
                              const SourceTexts &Sources) {
  const FlameNames::FlameName &N = G.names()[Name];
  uint32_t Line = lineIn(N.Function, N.File);
  All.push_back({N.Function.str(), N.File.str(),
                 Sources.find(N.File, Line).str(), Line, G.ownerOf(N)});
  return All.size() - 1;
}

DenseMap<uint32_t, uint32_t> NameMatcher::add(const KeyRules &Rules,
                                              const Graph &G,
                                              ArrayRef<uint32_t> Used,
                                              const SourceTexts &Sources) {
  DenseMap<uint32_t, uint32_t> Numbers;
  StringMap<std::vector<NamedLine>> Mine;
  for (uint32_t Name : Used) {
    const FlameNames::FlameName &N = G.names()[Name];
    uint32_t Line = lineIn(N.Function, N.File);
    StringRef Function = Line ? N.Function.split(' ').second : N.Function;
    std::string Room;
    std::string Key = steadyFunction(Function, Room).str() + '\0' +
                      steadyFileName(N.File, Rules);
    if (Line) {
      Mine[Key].push_back({{Line, Sources.find(N.File, Line)}, Name});
      continue;
    }
    auto [At, New] = Plain.try_emplace(Key, 0);
    if (New)
      At->second = newName(G, Name, Sources);
    Numbers[Name] = At->second;
  }
  auto ByLine = [](const NamedLine &A, const NamedLine &B) {
    return A.Text.Line < B.Text.Line;
  };
  auto Texts = [](ArrayRef<NamedLine> Of) {
    std::vector<FunctionLine> Out;
    for (const NamedLine &L : Of)
      Out.push_back(L.Text);
    return Out;
  };
  for (auto &Entry : Mine) {
    std::vector<NamedLine> &Of = Entry.second, &Shared = Lines[Entry.first()];
    stable_sort(Of, ByLine);
    auto Pairs = alignLines(Texts(Of), Texts(Shared));
    for (auto [L, Pair] : zip_equal(Of, Pairs)) {
      if (!Pair)
        Shared.push_back({L.Text, newName(G, L.Number, Sources)});
      Numbers[L.Number] = Shared[Pair.value_or(Shared.size() - 1)].Number;
    }
    stable_sort(Shared, ByLine);
  }
  return Numbers;
}

namespace {
/// The trees of all runs in one.
class MergedTree {
public:
  void add(const RunTree &T, const DenseMap<uint32_t, uint32_t> &Numbers,
           bool IsAfter);
  /// Sums up subtrees, and divides by the numbers of runs.
  void finish(uint64_t RunsBefore, uint64_t RunsAfter);
  /// Smaller: the name of the outermost nodes that are left out.
  std::vector<DiffNode> largest(size_t MaxNodes, uint32_t Smaller) const;

private:
  struct MergedNode {
    uint32_t Parent, Name;
    uint64_t Sums[2] = {0, 0}; ///< before, after
    uint64_t larger() const { return std::max(Sums[0], Sums[1]); }
  };
  std::vector<MergedNode> Nodes{{0, 0}}; ///< a parent comes first
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Children;
};
} // namespace

void MergedTree::add(const RunTree &T,
                     const DenseMap<uint32_t, uint32_t> &Numbers,
                     bool IsAfter) {
  std::vector<uint32_t> Here(T.Nodes.size());
  for (size_t I = 1; I < T.Nodes.size(); ++I) {
    const RunTree::RunNode &N = T.Nodes[I];
    uint32_t Parent = Here[N.Parent], Name = Numbers.lookup(N.Name);
    auto [At, New] = Children.try_emplace({Parent, Name}, Nodes.size());
    if (New)
      Nodes.push_back({Parent, Name});
    Here[I] = At->second;
    Nodes[Here[I]].Sums[IsAfter] += N.Self;
  }
}

void MergedTree::finish(uint64_t RunsBefore, uint64_t RunsAfter) {
  for (size_t I = Nodes.size(); I-- > 1;)
    for (int Side : {0, 1})
      Nodes[Nodes[I].Parent].Sums[Side] += Nodes[I].Sums[Side];
  for (MergedNode &N : Nodes)
    for (int Side : {0, 1}) {
      uint64_t Count = Side ? RunsAfter : RunsBefore;
      N.Sums[Side] = N.Sums[Side] / Count +
                     (N.Sums[Side] % Count * 2 >= Count && Count > 1);
    }
}

std::vector<DiffNode> MergedTree::largest(size_t MaxNodes,
                                          uint32_t Smaller) const {
  // Boxes of less would be invisible.
  constexpr uint64_t Parts = 20'000;
  uint64_t Above = Nodes.front().larger() / Parts;
  if (Nodes.size() > MaxNodes) {
    std::vector<uint64_t> Sizes;
    for (const MergedNode &N : Nodes)
      Sizes.push_back(N.larger());
    std::nth_element(Sizes.begin(), Sizes.begin() + MaxNodes, Sizes.end(),
                     std::greater<>());
    Above = std::max(Above, Sizes[MaxNodes]);
  }
  std::vector<SmallVector<uint32_t, 2>> Below(Nodes.size());
  DiffNode Rest{Smaller, 0, Nodes[0].Sums[0], Nodes[0].Sums[1]};
  for (uint32_t I = 1; I < Nodes.size(); ++I)
    if (Nodes[I].larger() > Above)
      Below[Nodes[I].Parent].push_back(I);
  for (uint32_t I : Below[0]) {
    // Means are rounded.
    Rest.Before -= std::min(Rest.Before, Nodes[I].Sums[0]);
    Rest.After -= std::min(Rest.After, Nodes[I].Sums[1]);
  }
  std::vector<DiffNode> Out;
  std::vector<std::pair<uint32_t, uint32_t>> Open{{0, 0}}; // node, depth + 1
  while (!Open.empty()) {
    auto [Node, Depth] = Open.back();
    Open.pop_back();
    const MergedNode &N = Nodes[Node];
    if (Node)
      Out.push_back({N.Name, Depth - 1, N.Sums[0], N.Sums[1]});
    SmallVector<uint32_t, 2> &Of = Below[Node];
    stable_sort(Of, [&](uint32_t A, uint32_t B) {
      return Nodes[A].larger() < Nodes[B].larger();
    });
    for (uint32_t Child : Of)
      Open.push_back({Child, Depth + 1});
  }
  if (Rest.Before || Rest.After)
    Out.push_back(Rest);
  return Out;
}

/// The id of a memory space in a trace; none: the trace lacks the space.
static std::optional<uint32_t> spaceId(const Trace &T, StringRef Name) {
  for (uint32_t Id = 0; Id <= T.devices().size(); ++Id)
    if (T.spaceName(Id) == Name)
      return Id;
  return std::nullopt;
}

DiffTree makeDiffTree(const DiffRuns &Runs, ArrayRef<Places> Where, Metric M,
                      StringRef Space, size_t MaxNodes) {
  bool HasLines = any_of(Where, [](const Places &P) { return P.hasLines(); });
  DiffTree Out;
  NameMatcher Names;
  MergedTree All;
  std::vector<std::unique_ptr<Graph>> Graphs(Runs.size());
  std::vector<std::optional<RunTree>> Trees(Runs.size());
  Runs.forEachRun([&](size_t R) {
    std::optional<uint32_t> Id = spaceId(Runs.trace(R), Space);
    if (!Id)
      return;
    GraphSpec Spec{HasLines ? GroupBy::Line : GroupBy::Stack,
                   /*Invert=*/false};
    // Groups of lines and stacks need nothing that a trace may lack.
    Graphs[R] = cantFail(Graph::create(Runs.run(R), Where[R], Spec));
    Trees[R].emplace(Runs, R, *Graphs[R], M, *Id);
  });
  for (size_t R = Runs.size(); R-- != 0;) {
    if (!Trees[R])
      continue;
    Graph &G = *Graphs[R];
    All.add(*Trees[R],
            Names.add(Runs.rules(R), G, Trees[R]->Names, SourceTexts(Where[R])),
            Runs.isAfter(R));
  }
  All.finish(Runs.numBefore(), Runs.size() - Runs.numBefore());
  Out.Names = std::move(Names.All);
  Out.Nodes = All.largest(MaxNodes, Out.Names.size());
  Out.Names.push_back({"(smaller)", "", "", 0, CodeOwner::Other});
  return Out;
}

} // namespace memkit
