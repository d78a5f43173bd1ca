// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of memtop: rows in groups that open.

#include "RowTree.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

static constexpr StringLiteral SortNames[] = {
    "live", "peak", "growth", "step", "allocations", "temporary", "age"};

StringRef memkit::sortName(SortColumn C) { return SortNames[size_t(C)]; }

std::optional<SortColumn> memkit::sortColumnOf(StringRef Name) {
  const auto *At = find(SortNames, Name);
  if (At == std::end(SortNames))
    return std::nullopt;
  return SortColumn(At - std::begin(SortNames));
}

double memkit::sortValue(const MomentValues &V, SortColumn C, bool HasMark) {
  switch (C) {
  case SortColumn::Live:
    return V.Live;
  case SortColumn::Peak:
    return V.Peak;
  case SortColumn::Growth:
    return HasMark ? V.SinceMark : V.Growth;
  case SortColumn::PerStep:
    return V.PerStep;
  case SortColumn::Allocations:
    return V.Allocations;
  case SortColumn::Temporary:
    return V.Allocations > 0 ? V.Temporaries / V.Allocations : 0;
  case SortColumn::Age:
    return V.AgedBytes > 0 ? V.ByteAges / V.AgedBytes : 0;
  }
  llvm_unreachable("all columns are handled");
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

struct RowTree::Group {
  std::string Name;
  MomentValues V;
  std::vector<uint32_t> Rows; ///< in WatchedRows
  std::vector<Group> Inner;   ///< instead of Rows
  bool IsImport = false;
};

/// Small imports would fill the table, and hide what the program does.
void RowTree::foldImports(std::vector<Group> &Groups) const {
  auto Imports = std::stable_partition(
      Groups.begin(), Groups.end(), [](const Group &G) { return !G.IsImport; });
  if (Groups.end() - Imports < 2)
    return;
  Group Of;
  Of.Inner.assign(std::make_move_iterator(Imports),
                  std::make_move_iterator(Groups.end()));
  Groups.erase(Imports, Groups.end());
  for (const Group &G : Of.Inner)
    Of.V += G.V;
  Of.Name = "imports";
  Groups.push_back(std::move(Of));
}

/// The group of a rank; 0: of no rank.
static uint32_t rankGroup(int32_t Rank) {
  return Rank < 0 ? 0 : uint32_t(Rank) + 1;
}

const Places &RowTree::lines() {
  if (!Lines)
    Lines.emplace(W.stats());
  return *Lines;
}

uint32_t RowTree::groupOf(const WatchedRow &R, GroupBy By) {
  switch (By) {
  case GroupBy::Line:
    return lines().of(R.Key);
  case GroupBy::Library:
    if (!Owners)
      Owners.emplace(W.trace());
    return Owners->of(R.Key);
  case GroupBy::Heap:
    return R.Heap;
  case GroupBy::Process:
    return R.Process;
  case GroupBy::Rank:
    return rankGroup(W.trace().processes()[R.Process - 1].Place.Rank);
  case GroupBy::Thread:
    return R.Key;
  default:
    return 0; // one group, which is not shown
  }
}

std::string RowTree::groupName(uint32_t Group, GroupBy By) const {
  const Trace &T = W.trace();
  switch (By) {
  case GroupBy::Line:
    return Lines->text(Lines->place(Group));
  case GroupBy::Library:
    return Owners->name(Group).str();
  case GroupBy::Heap:
    return T.heapName(Group).str();
  case GroupBy::Process:
    return std::to_string(T.processes()[Group - 1].Pid) + " " +
           T.processName(Group).str();
  case GroupBy::Rank:
    return Group ? "rank " + std::to_string(Group - 1) : "(no rank)";
  case GroupBy::Thread: {
    if (!Group || Group > T.threads().size())
      return "(no thread)";
    const Thread &Of = T.threads()[Group - 1];
    return std::to_string(Of.Tid) + " " + T.string(Of.Name).str() +
           (T.processes().size() > 1 ? " of " + T.processName(Of.Process).str()
                                     : "");
  }
  default:
    return "";
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The name of a frame: `train.py:46 forward`, with functions that were inlined
/// into it behind `>`.
static std::string frameName(const ShownTree &T, uint32_t Frame) {
  std::string Out;
  for (const ShownFrame &F : reverse(T.shown(Frame))) {
    if (!Out.empty())
      Out += " > ";
    // The names of layers and scopes stand alone.
    if (!F.File.empty() && F.Line)
      Out += (baseName(F.File) + ":" + Twine(F.Line) + " ").str();
    Out += F.Function;
  }
  return Out;
}

/// The calls of some rows, with sums.
class RowTree::CallTree {
public:
  struct CallNode {
    uint32_t Of = 0; ///< in the tree's view
    MomentValues V;
    std::vector<uint32_t> Children;
  };

  /// Only nodes on the way to Rows are made.
  CallTree(const ShownTree &T, const WatchedRows &All, ArrayRef<uint32_t> Rows)
      : T(T), IndexOf(T.view().numNodes() + 1) {
    Nodes.emplace_back();
    IndexOf[0] = 1;
    for (uint32_t Row : Rows) {
      uint32_t Key = All.Rows[Row].Key;
      uint32_t Leaf = Key < T.view().Leaves.size() ? T.view().leaf(Key) : 0;
      Nodes[find(Leaf)].V += All.Rows[Row].V;
    }
    // Parents have lower ids.
    std::vector<uint32_t> Order(Nodes.size());
    for (uint32_t I = 0; I != Order.size(); ++I)
      Order[I] = I;
    llvm::sort(Order, [&](uint32_t A, uint32_t B) {
      return Nodes[A].Of > Nodes[B].Of;
    });
    for (uint32_t I : Order) {
      if (!Nodes[I].Of)
        continue;
      uint32_t Parent = IndexOf[T.view().parent(Nodes[I].Of)] - 1;
      Nodes[Parent].V += Nodes[I].V;
      Nodes[Parent].Children.push_back(I);
    }
  }

  const CallNode &node(uint32_t Index) const { return Nodes[Index]; }
  std::string name(uint32_t Index) const {
    return frameName(T, T.view().frameOf(Nodes[Index].Of));
  }

private:
  uint32_t find(uint32_t Of) {
    uint32_t First = UINT32_MAX;
    for (uint32_t At = Of;; At = T.view().parent(At)) {
      bool IsKnown = IndexOf[At] != 0;
      if (!IsKnown) {
        Nodes.push_back({At, {}, {}});
        IndexOf[At] = uint32_t(Nodes.size());
      }
      if (First == UINT32_MAX)
        First = IndexOf[At] - 1;
      if (IsKnown)
        return First;
    }
  }

  ShownTree T;
  std::vector<CallNode> Nodes;   ///< the first is the root
  std::vector<uint32_t> IndexOf; ///< by node of the view, index + 1
};

/// Whether each node of a tree, or one around it, has the text.
std::vector<char> RowTree::matchesOfNodes(const ShownTree &T,
                                          StringRef Filter) const {
  std::vector<char> OfFrame(T.numFrames() + 1), Out(T.view().numNodes() + 1);
  for (uint32_t Frame = 1; Frame <= T.numFrames(); ++Frame)
    OfFrame[Frame] =
        StringRef(frameName(T, Frame)).contains_insensitive(Filter);
  // Parents have lower ids.
  for (uint32_t Node = 1; Node < Out.size(); ++Node)
    Out[Node] = OfFrame[T.view().frameOf(Node)] || Out[T.view().parent(Node)];
  return Out;
}

//===----------------------------------------------------------------------===//
// The visible rows
//===----------------------------------------------------------------------===//

namespace {
/// The order of rows: the largest first.
struct Sorter {
  const TreeSpec &Spec;
  template <class T> bool operator()(const T &A, const T &B) const {
    for (SortColumn C : {Spec.First, Spec.Second}) {
      double X = sortValue(A, C, Spec.HasMark),
             Y = sortValue(B, C, Spec.HasMark);
      if (X != Y)
        return X > Y;
    }
    return false;
  }
};
} // namespace

static uint64_t idOf(uint64_t Parent, StringRef Name) {
  return xxh3_64bits(Name) ^ (Parent * 0x9E3779B97F4A7C15u + 1);
}

std::vector<TreeRow> RowTree::rows(const WatchedRows &Of,
                                   const TreeSpec &Spec) {
  bool IsOfScopes = Spec.By == GroupBy::Layer || Spec.By == GroupBy::Scope;
  std::optional<ScopeView> Scopes;
  if (IsOfScopes)
    Scopes = groupScopes(W.trace(), Spec.By);
  ShownTree Tree =
      Scopes ? ShownTree(W.trace(), *Scopes) : ShownTree(W.trace());
  std::vector<char> Matches;
  if (!Spec.Filter.empty())
    Matches = matchesOfNodes(Tree, Spec.Filter);
  auto IsChosen = [&](const WatchedRow &R, StringRef Group) {
    // The keys of threads are no stacks.
    uint32_t Leaf =
        Spec.By != GroupBy::Thread && R.Key < Tree.view().Leaves.size()
            ? Tree.view().leaf(R.Key)
            : 0;
    return Matches.empty() || Matches[Leaf] ||
           Group.contains_insensitive(Spec.Filter);
  };

  std::vector<Group> Groups;
  DenseMap<uint32_t, uint32_t> IndexOf;
  for (uint32_t I = 0; I != Of.Rows.size(); ++I) {
    uint32_t Id = groupOf(Of.Rows[I], Spec.By);
    auto [At, IsNew] = IndexOf.try_emplace(Id, uint32_t(Groups.size()));
    if (IsNew) {
      Groups.emplace_back();
      Groups.back().Name = groupName(Id, Spec.By);
      Groups.back().IsImport = Spec.By == GroupBy::Line &&
                               Lines->place(Id).Kind == PlaceKind::Import;
    }
    Group &G = Groups[At->second];
    if (!IsChosen(Of.Rows[I], G.Name))
      continue;
    G.V += Of.Rows[I].V;
    G.Rows.push_back(I);
  }
  erase_if(Groups, [](const Group &G) { return G.Rows.empty(); });
  if (Spec.FoldImports && Spec.Filter.empty())
    foldImports(Groups);
  Sorter Before{Spec};
  auto SortGroups = [&](std::vector<Group> &Of) {
    llvm::sort(Of, [&](const Group &A, const Group &B) {
      return Before(A.V, B.V) || (!Before(B.V, A.V) && A.Name < B.Name);
    });
  };
  SortGroups(Groups);

  std::vector<TreeRow> Out;
  auto AddCalls = [&](const CallTree &T, uint32_t Index, unsigned Depth,
                      uint64_t Parent, auto &Self) -> void {
    std::vector<uint32_t> Children = T.node(Index).Children;
    llvm::sort(Children, [&](uint32_t A, uint32_t B) {
      return Before(T.node(A).V, T.node(B).V) ||
             (!Before(T.node(B).V, T.node(A).V) && A < B);
    });
    for (uint32_t Child : Children) {
      TreeRow R;
      R.Name = T.name(Child);
      // A call with one callee and no bytes of its own is one row with the
      // callee.
      uint32_t Last = Child;
      while (T.node(Last).Children.size() == 1 &&
             T.node(T.node(Last).Children[0]).V.Live == T.node(Last).V.Live &&
             T.node(T.node(Last).Children[0]).V.Peak == T.node(Last).V.Peak)
        Last = T.node(Last).Children[0];
      if (Last != Child) {
        R.LastName = T.name(Last);
        R.Name += " .. " + R.LastName;
      }
      R.Id = idOf(Parent, R.Name);
      R.Depth = Depth;
      R.V = T.node(Child).V;
      R.CanOpen = !T.node(Last).Children.empty();
      R.IsOpen = R.CanOpen && Spec.Open.count(R.Id);
      uint64_t Id = R.Id;
      bool IsOpen = R.IsOpen;
      Out.push_back(std::move(R));
      if (IsOpen)
        Self(T, Last, Depth + 1, Id, Self);
    }
  };
  auto AddGroup = [&](Group &G, unsigned Depth, auto &Self) -> void {
    TreeRow R;
    R.Id = idOf(uint64_t(Spec.By), G.Name);
    R.Name = G.Name;
    R.Depth = Depth;
    R.V = G.V;
    R.CanOpen = Spec.By != GroupBy::Thread;
    R.IsOpen = R.CanOpen && Spec.Open.count(R.Id);
    bool IsOpen = R.IsOpen;
    uint64_t Id = R.Id;
    Out.push_back(std::move(R));
    if (!IsOpen)
      return;
    SortGroups(G.Inner);
    for (Group &Inner : G.Inner)
      Self(Inner, Depth + 1, Self);
    if (!G.Rows.empty())
      AddCalls(CallTree(Tree, Of, G.Rows), 0, Depth + 1, Id, AddCalls);
  };
  bool IsFlat = Spec.By == GroupBy::Stack || IsOfScopes;
  for (Group &G : Groups) {
    if (IsFlat)
      AddCalls(CallTree(Tree, Of, G.Rows), 0, 0, uint64_t(Spec.By), AddCalls);
    else
      AddGroup(G, 0, AddGroup);
  }
  return Out;
}
