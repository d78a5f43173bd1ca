// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks below their groups.

#include "StackGroups.h"
#include "Support/Failure.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;

namespace memkit {

static Error noCategories(const Trace &T) {
  return make_error<RequestError>(
      RequestError::RequestErrorKind::NoCategories, RequestPart(),
      (T.name() + ": the trace has no categories of tensors").str());
}

static Error noDtypes(const Trace &T) {
  return make_error<RequestError>(
      RequestError::RequestErrorKind::NoDtypes, RequestPart(),
      (T.name() + ": the trace has no dtypes of tensors").str());
}

Expected<StackGroups> StackGroups::create(const Trace &T, GroupBy By) {
  StackGroups G(T, By);
  if (By == GroupBy::Mixed && T.scopePaths().empty())
    return makeError(T.name() + ": the trace has no scope paths");
  if (By == GroupBy::Library)
    G.Of.emplace(T);
  if (By == GroupBy::Category) {
    if (!hasTensorCategories(T))
      return T.summary().Categories.empty()
                 ? noCategories(T)
                 : makeRequestError(T.name() +
                                    ": the trace knows categories at the peak "
                                    "of all allocations only; such a trace "
                                    "is from an older memrec");
    auto Table = BlockCategoryTable::read(T.reader());
    if (!Table)
      return Table.takeError();
    G.Categories.emplace(T, std::move(*Table));
  }
  if (By == GroupBy::Dtype) {
    auto Table = BlockCategoryTable::read(T.reader());
    if (!Table)
      return Table.takeError();
    if ((*Table)->dtypes().empty())
      return noDtypes(T);
    G.Dtypes.emplace(T, std::move(*Table));
  }
  if (By != GroupBy::Step)
    return G;
  G.StepsOf.resize(T.processes().size() + 1);
  for (const StepStats &S : T.summary().Steps)
    if (S.Process < G.StepsOf.size()) {
      G.StepsOf[S.Process].push_back(G.Steps.size());
      G.Steps.push_back({S.BeginNs, S.Step});
    }
  if (G.Steps.size() == 1)
    return noSteps(T);
  for (std::vector<uint32_t> &Of : G.StepsOf)
    stable_sort(Of, [&](uint32_t A, uint32_t B) {
      return G.Steps[A].BeginNs < G.Steps[B].BeginNs;
    });
  return G;
}

uint32_t StackGroups::key(uint32_t Group, uint32_t Stack) {
  if (Stack >= LastKeys.size())
    LastKeys.resize(
        std::max<size_t>(Stack + size_t(1), T->view().Leaves.size()));
  GroupKey &Last = LastKeys[Stack];
  if (Last.Key && Last.Group == Group)
    return Last.Key;
  auto [At, New] = Keys.try_emplace({Group, Stack}, Pairs.size());
  if (New)
    Pairs.push_back({Group, Stack});
  Last = {Group, At->second};
  return At->second;
}

/// The index in Steps of the step at the time of the allocation; 0: none.
uint32_t StackGroups::stepOf(const Allocation &B) const {
  const std::vector<uint32_t> &Of = StepsOf[B.Process];
  auto After = llvm::upper_bound(Of, B.TimeNs, [&](uint64_t Ns, uint32_t At) {
    return Ns < Steps[At].BeginNs;
  });
  return After == Of.begin() ? 0 : *std::prev(After);
}

/// The group of an allocation, but by Category and Dtype.
uint32_t StackGroups::groupOf(const Allocation &B) const {
  switch (By) {
  case GroupBy::Thread:
    return B.Thread;
  case GroupBy::Heap:
    return B.Heap;
  case GroupBy::Size:
    return B.Size ? Log2_64(B.Size) + 1 : 0;
  case GroupBy::Step:
    return stepOf(B);
  default:
    return B.ScopePath;
  }
}

AllocationGroups StackGroups::allocationGroups() {
  auto Pair = [](uint32_t Group, uint32_t Stack) {
    return uint64_t(Group) << 32 | Stack;
  };
  AllocationGroups Out;
  Out.KeyOf = [this](uint64_t Pair) {
    return key(uint32_t(Pair >> 32), uint32_t(Pair));
  };
  if (By != GroupBy::Category && By != GroupBy::Dtype) {
    Out.GroupOf = [this, Pair](const Allocation &B) {
      return Pair(groupOf(B), B.Stack);
    };
    return Out;
  }
  Out.BelongsToOneThread = true;
  Out.GroupOf = [this, Pair](const Allocation &B) {
    uint32_t Group = By == GroupBy::Dtype
                         ? Dtypes->of(B.Process, B.Heap, B.Block)
                         : Categories->of(B.Process, B.Heap, B.Block);
    return Pair(Group, Group ? B.Stack : 0);
  };
  return Out;
}

void StackGroups::addCategories(uint32_t Heap, uint32_t Stack) {
  if (!Categories->isOfTensors(Heap))
    key(0, 0);
  else
    for (uint32_t Group = 1; Group != CategoryGroups::Count; ++Group)
      key(Group, Stack);
}

std::string StackGroups::nameOf(uint32_t Group) const {
  switch (By) {
  case GroupBy::Thread: {
    if (!Group)
      return "(no thread)";
    const Thread &Th = T->threads()[Group - 1];
    std::string Process;
    if (T->processes().size() > 1)
      Process = T->processName(Th.Process).str() + " ";
    return (Process + T->string(Th.Name) + " (" + Twine(Th.Tid) + ")").str();
  }
  case GroupBy::Heap:
    return T->heapName(Group).str();
  case GroupBy::Library:
    return Of->name(Group).str();
  case GroupBy::Category:
    return CategoryGroups::name(Group).str();
  case GroupBy::Dtype:
    return Dtypes->name(Group).str();
  case GroupBy::Size: {
    if (Group < 2)
      return Group ? "1 B" : "0 B";
    uint64_t Low = uint64_t(1) << (Group - 1);
    return formatSize(Low) + " to " + formatSize(2 * (Low - 1) + 1);
  }
  default:
    if (!Group)
      return "(before the first step)";
    return "step " + std::to_string(Steps[Group].Step);
  }
}

namespace {

/// Copies stacks below nodes of a tree, whose frames are the trace's shown
/// frames first. Stacks that show the same frames share their nodes; which ones
/// do is looked up once for all copies.
class StackCopies {
public:
  explicit StackCopies(const Trace &T)
      : T(T), Ways(T), Alone(/*Keys=*/0, /*Frames=*/{}) {}

  /// The leaf of the stack below Top. Stacks below one Top come together.
  uint32_t add(PathTree &To, uint32_t Top, uint32_t Stack) {
    auto Next = [&](uint32_t Above, const ShownFrame &F) {
      return Alone.child(Above, 1 + (&F - T.allShown().data()));
    };
    uint32_t Node = Ways.add(/*Top=*/0, T.view().leaf(Stack), Next);
    Copies.resize(Alone.tree().numNodes() + size_t(1));
    Way.clear();
    for (; Node && Copies[Node].Top != Top; Node = Alone.tree().parent(Node))
      Way.push_back(Node);
    uint32_t At = Node ? Copies[Node].Node : Top;
    for (uint32_t N : reverse(Way)) {
      At = To.append(At, Alone.frameOf(N));
      Copies[N] = {Top, At};
    }
    return At;
  }

private:
  const Trace &T;
  WayAdder Ways;
  PathTree Alone; ///< the stacks without groups
  /// The last copy of a node.
  struct NodeCopy {
    uint32_t Top = UINT32_MAX, Node = 0;
  };
  std::vector<NodeCopy> Copies; ///< by node of Alone
  std::vector<uint32_t> Way;
};

} // namespace

ScopeView StackGroups::view() const {
  if (By == GroupBy::Mixed)
    return mixedView();
  std::vector<ShownFrame> Frames = T->allShown().vec();
  uint32_t FirstGroup = Frames.size() + 1;
  std::deque<std::string> Texts;
  DenseMap<uint32_t, uint32_t> FrameOf; ///< by group
  std::vector<uint32_t> Tops{0};        ///< by key
  for (const GroupedStack &P : ArrayRef(Pairs).drop_front()) {
    auto [At, New] = FrameOf.try_emplace(P.Group, FirstGroup + Texts.size());
    Tops.push_back(At->second);
    if (!New)
      continue;
    ShownFrame &F = Frames.emplace_back();
    F.Function = F.Label = Texts.emplace_back(nameOf(P.Group));
  }
  PathTree Tree(Pairs.size(), std::move(Frames));
  StackCopies Copies(*T);
  // Group by group: a stack's outer nodes are mostly those of the stack before.
  std::vector<uint32_t> Order(Pairs.size() - 1);
  std::iota(Order.begin(), Order.end(), 1);
  stable_sort(Order, [&](uint32_t A, uint32_t B) { return Tops[A] < Tops[B]; });
  for (uint32_t Key : Order)
    Tree.setLeaf(Key,
                 Copies.add(Tree, Tree.child(0, Tops[Key]), Pairs[Key].Stack));
  ScopeView Out = Tree.take();
  Out.Texts = std::move(Texts);
  return Out;
}

namespace {

/// Inserts the scopes of a scope path between the frames of a stack.
class Mixer {
public:
  explicit Mixer(const Trace &T) : T(T) {}
  /// Frames of scopes have ids after those of the trace's shown frames.
  std::vector<ShownFrame> frames() const;
  ArrayRef<uint32_t> mix(uint32_t Stack, uint32_t ScopePath);

private:
  const Trace &T;
  struct GroupEntry {
    uint32_t Depth, Frame;
  };
  std::vector<GroupEntry> Scopes;
  std::vector<uint32_t> Raw, Shown, Path;
};

} // namespace

std::vector<ShownFrame> Mixer::frames() const {
  std::vector<ShownFrame> Frames = T.allShown().vec();
  for (const ScopeRecord &S : T.scopes()) {
    ShownFrame &F = Frames.emplace_back();
    StringRef Name = T.string(S.Name);
    F.Function = F.Label = Name.empty() ? "(no name)" : Name;
    F.File = scopeKindName(S.Kind);
  }
  return Frames;
}

/// A scope's depth counts all frames of the trace outside of the scope,
/// including frames that are not shown. Shown frames keep their order.
ArrayRef<uint32_t> Mixer::mix(uint32_t Stack, uint32_t ScopePath) {
  Scopes.clear();
  for (uint32_t C = ScopePath; C; C = T.scopePaths()[C - 1].Parent) {
    const memkit::ScopePath &Co = T.scopePaths()[C - 1];
    Scopes.push_back(
        {Co.Depth, static_cast<uint32_t>(T.allShown().size() + Co.Scope)});
  }
  std::reverse(Scopes.begin(), Scopes.end());
  Raw.clear();
  for (uint32_t N = T.leaf(Stack); N; N = T.parent(N))
    Raw.push_back(T.frameOf(N));
  Shown.clear();
  const StackView &V = T.view();
  for (uint32_t N = V.leaf(Stack); N; N = V.parent(N))
    Shown.push_back(V.frameOf(N));
  Path.clear();
  size_t Outside = 0, Next = 0;
  for (uint32_t Frame : reverse(Shown)) {
    while (Outside != Raw.size() && Raw[Raw.size() - 1 - Outside] != Frame)
      ++Outside;
    for (; Next != Scopes.size() && Scopes[Next].Depth <= Outside; ++Next)
      Path.push_back(Scopes[Next].Frame);
    for (const ShownFrame &F : reverse(T.shown(Frame)))
      Path.push_back(1 + (&F - T.allShown().data()));
    ++Outside;
  }
  for (; Next != Scopes.size(); ++Next)
    Path.push_back(Scopes[Next].Frame);
  return Path;
}

ScopeView StackGroups::mixedView() const {
  Mixer M(*T);
  PathTree Tree(Pairs.size(), M.frames());
  for (uint32_t Key = 1; Key != Pairs.size(); ++Key)
    Tree.add(Key, M.mix(Pairs[Key].Stack, Pairs[Key].Group));
  return Tree.take();
}

Expected<CategoryView> viewCategories(const Trace &T, const Selection &Sel) {
  std::vector<ShownFrame> Frames;
  DenseMap<StringRef, uint32_t> FrameOf;
  auto Frame = [&](StringRef Name) {
    auto [At, New] = FrameOf.try_emplace(Name, Frames.size() + 1);
    if (New) {
      ShownFrame &F = Frames.emplace_back();
      F.Function = F.Label = Name;
    }
    return At->second;
  };
  std::vector<SmallVector<uint32_t, 2>> Paths(1);
  std::vector<Profile> ByHeap(T.heaps().size() + 1);
  for (const CategoryStats &K : T.summary().Categories) {
    if (K.Oom || !Sel.hasHeap(K.Heap) || !Sel.hasProcess(K.Process) || !K.Bytes)
      continue;
    SmallVector<uint32_t, 2> Path{Frame(categoryText(K.Category))};
    if (K.Layer)
      Path.push_back(Frame(T.string(K.Layer)));
    Profile &P = ByHeap[K.Heap];
    P.Values.push_back({static_cast<uint32_t>(Paths.size()), K.Bytes});
    P.Total += K.Bytes;
    Paths.push_back(std::move(Path));
  }
  if (Paths.size() == 1)
    return noCategories(T);
  CategoryView Out;
  PathTree Tree(Paths.size(), std::move(Frames));
  for (uint32_t Key = 1; Key != Paths.size(); ++Key)
    Tree.add(Key, Paths[Key]);
  Out.View = Tree.take();
  for (uint32_t Heap = 1; Heap < ByHeap.size(); ++Heap)
    if (Profile &P = ByHeap[Heap]; P.Total) {
      P.Name = (T.heapName(Heap) + ": peak, by category").str();
      Out.Profiles.push_back(std::move(P));
    }
  return Out;
}

} // namespace memkit
