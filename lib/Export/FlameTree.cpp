// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile as a tree of functions.

#include "FlameTree.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

FlameNames::FlameNames(ShownTree T, Distinct How)
    : T(T), How(How), ByShown(T.allShown().size()),
      ByFunction(T.trace().numFunctions() + 1) {
  Names.push_back({"(smaller)", "", 0});
  Names.push_back({"(no stack)", "", 0});
}

uint32_t FlameNames::intern(const ShownFrame &F) {
  // Groups have no function. A group by line has its line.
  if (!F.FunctionId)
    return F.File.empty() ? add({F.Label, F.Binary, 0})
                          : add({F.Label, F.File, F.Line});
  uint32_t Line = T.trace().function(F.FunctionId).Line;
  // Without a file, a function that is in two binaries has two names.
  if (F.File.empty())
    return add({F.Label, F.Binary, Line});
  uint32_t &Known = ByFunction[F.FunctionId];
  return Known ? Known : Known = add({F.Label, F.File, Line});
}

uint32_t FlameNames::add(const FlameName &N) {
  StringRef Place = How == Distinct::ByPlace ? N.File : StringRef();
  auto [At, New] = ByText.try_emplace({N.Function, Place},
                                      static_cast<uint32_t>(Names.size()));
  if (New)
    Names.push_back(N);
  return At->second;
}

//===----------------------------------------------------------------------===//
// The order of stacks
//===----------------------------------------------------------------------===//

/// Sorts V by rank, a digit of 11 bits at a time.
template <typename T>
static void radixSort(std::vector<T> &V, std::vector<T> &Scratch,
                      uint32_t MaxRank) {
  const unsigned Bits = 11;
  const uint32_t Mask = (1u << Bits) - 1;
  Scratch.resize(V.size());
  for (unsigned Shift = 0; Shift < 32 && MaxRank >> Shift; Shift += Bits) {
    std::array<uint32_t, size_t(1) << Bits> Counts{};
    for (const T &E : V)
      ++Counts[(E.Rank >> Shift) & Mask];
    uint32_t Before = 0;
    for (uint32_t &C : Counts)
      Before += std::exchange(C, Before);
    for (const T &E : V)
      Scratch[Counts[(E.Rank >> Shift) & Mask]++] = E;
    V.swap(Scratch);
  }
}

void FlameBuilder::order(const Profile &P) {
  Ordered.clear();
  for (const KeyValue &V : P.Values)
    Ordered.push_back(
        {Ranks.ofKey(V.Key), static_cast<uint32_t>(Ordered.size())});
  radixSort(Ordered, Scratch, T.view().numNodes());
  Sums.assign(1, 0);
  for (const RankedValue &V : Ordered)
    Sums.push_back(Sums.back() + P.Values[V.Index].Value);
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

void FlameBuilder::addItem(Item I) {
  // Shown frames are innermost first.
  ArrayRef<ShownFrame> Frames = T.shown(I.Frame);
  size_t Index = &Frames[Frames.size() - 1 - I.Shown] - T.allShown().data();
  Children.push_back({Names.find(Index), I});
}

/// The index of the first of Ordered, from Next to End, with a rank above
/// LastRank.
uint32_t FlameBuilder::skip(uint32_t Next, uint32_t End,
                            uint32_t LastRank) const {
  // Most runs are short, but some include nearly all stacks: search by
  // doubling.
  uint32_t Step = 1;
  while (End - Next >= Step && Ordered[Next + Step - 1].Rank <= LastRank) {
    Next += Step;
    Step *= 2;
  }
  for (; Step > 1; Step /= 2)
    if (End - Next >= Step / 2 && Ordered[Next + Step / 2 - 1].Rank <= LastRank)
      Next += Step / 2;
  return Next;
}

ArrayRef<FlameBuilder::FlameChild> FlameBuilder::childrenOf(uint32_t Rank) {
  auto [At, New] =
      ChildRanges.try_emplace(Rank, ItemRange{NodeChildren.size(), 0});
  if (New) {
    for (uint32_t R = Rank + 1; R <= Ranks.last(Rank); R = Ranks.last(R) + 1)
      NodeChildren.push_back({R, Ranks.frame(R)});
    At->second.Count = NodeChildren.size() - At->second.Begin;
  }
  return ArrayRef(NodeChildren).slice(At->second.Begin, At->second.Count);
}

/// Finds the children of a node of the tree: the next inlined function of its
/// items, or the children with stacks of the items' nodes.
void FlameBuilder::gatherChildren(const Growing &G) {
  Children.clear();
  for (uint32_t At = G.FirstItem; At != G.EndItem; ++At) {
    Item I = Items[At];
    if (I.Frame && I.Shown + 1 < T.shown(I.Frame).size()) {
      ++I.Shown;
      addItem(I);
      continue;
    }
    // Stacks that end here come first.
    uint32_t Next = skip(I.Begin, I.End, I.Rank);
    if (Next == I.End)
      continue;
    ArrayRef<FlameChild> Nodes = childrenOf(I.Rank);
    const FlameChild *Behind = Nodes.begin();
    while (Next != I.End) {
      // The child after the one on the path of the next stack.
      Behind =
          std::partition_point(Behind, Nodes.end(), [&](const FlameChild &C) {
            return C.Rank <= Ordered[Next].Rank;
          });
      uint32_t Last =
          Behind == Nodes.end() ? Ranks.last(I.Rank) : Behind->Rank - 1;
      uint32_t Begin = Next;
      Next = skip(Next, I.End, Last);
      addItem({Behind[-1].Rank, Behind[-1].Frame, 0, Begin, Next});
    }
  }
}

/// Adds the children of a node to the tree, one for each name, and queues them;
/// children below the threshold are folded.
void FlameBuilder::expand(uint32_t Index, uint64_t Threshold) {
  gatherChildren(Tree[Index]);
  ChildOrder.clear();
  for (const NamedItem &C : Children)
    ChildOrder.push_back(uint64_t(C.Name) << 32 | ChildOrder.size());
  llvm::sort(ChildOrder);
  auto ItemAt = [&](size_t I) {
    return Children[static_cast<uint32_t>(ChildOrder[I])].I;
  };
  uint64_t Inner = 0, Folded = 0;
  for (size_t Begin = 0, End; Begin != ChildOrder.size(); Begin = End) {
    uint32_t Name = ChildOrder[Begin] >> 32;
    uint64_t Total = 0;
    for (End = Begin; End != ChildOrder.size() && ChildOrder[End] >> 32 == Name;
         ++End)
      Total += valueOf(ItemAt(End));
    Inner += Total;
    if (Total < Threshold) {
      Folded += Total;
      continue;
    }
    Growing G;
    G.Name = Name;
    G.Parent = Index;
    G.Total = Total;
    G.FirstItem = Items.size();
    for (size_t I = Begin; I != End; ++I)
      Items.push_back(ItemAt(I));
    G.EndItem = Items.size();
    Waiting.push_back(Tree.size());
    Tree.push_back(G);
  }
  Tree[Index].Self = Tree[Index].Total - Inner;
  Tree[Index].Folded = Folded;
}

/// Expands the largest nodes first, up to MaxNodes.
void FlameBuilder::grow(uint64_t Threshold, size_t MaxNodes) {
  auto IsSmaller = [&](uint32_t A, uint32_t B) {
    return Tree[A].Total != Tree[B].Total ? Tree[A].Total < Tree[B].Total
                                          : A > B;
  };
  std::make_heap(Waiting.begin(), Waiting.end(), IsSmaller);
  for (size_t Drawn = 0; !Waiting.empty(); ++Drawn) {
    if (MaxNodes && Drawn == MaxNodes)
      break;
    if (MaxNodes)
      std::pop_heap(Waiting.begin(), Waiting.end(), IsSmaller);
    uint32_t Index = Waiting.back();
    Waiting.pop_back();
    Tree[Index].Drawn = true;
    size_t Before = Waiting.size();
    expand(Index, Threshold);
    for (size_t End = Before; MaxNodes && End++ != Waiting.size();)
      std::push_heap(Waiting.begin(), Waiting.begin() + End, IsSmaller);
  }
  for (uint32_t Index : Waiting)
    Tree[Tree[Index].Parent].Folded += Tree[Index].Total;
}

std::vector<FlameNode> FlameBuilder::inPreorder() const {
  // The drawn nodes by parent, the smallest first, in the order for a stack.
  std::vector<uint32_t> Sorted;
  std::vector<uint32_t> FirstChild(Tree.size() + 1);
  for (uint32_t I = 1; I != Tree.size(); ++I)
    if (Tree[I].Drawn) {
      Sorted.push_back(I);
      ++FirstChild[Tree[I].Parent + 1];
    }
  for (size_t I = 1; I != FirstChild.size(); ++I)
    FirstChild[I] += FirstChild[I - 1];
  llvm::sort(Sorted, [&](uint32_t A, uint32_t B) {
    return std::tuple(Tree[A].Parent, Tree[A].Total, B) <
           std::tuple(Tree[B].Parent, Tree[B].Total, A);
  });

  std::vector<FlameNode> Nodes;
  // A node of the tree, or the folded children of a node.
  struct PendingNode {
    uint32_t Index;
    uint32_t Depth;
    bool IsFolded;
  };
  std::vector<PendingNode> Stack;
  auto PushChildren = [&](uint32_t Index, uint32_t Depth) {
    if (Tree[Index].Folded)
      Stack.push_back({Index, Depth, true});
    for (uint32_t C = FirstChild[Index]; C != FirstChild[Index + 1]; ++C)
      Stack.push_back({Sorted[C], Depth, false});
  };
  PushChildren(0, 0);
  while (!Stack.empty()) {
    PendingNode Top = Stack.back();
    Stack.pop_back();
    const Growing &G = Tree[Top.Index];
    if (Top.IsFolded) {
      Nodes.push_back({FlameNames::Smaller, Top.Depth, G.Folded, G.Folded});
      continue;
    }
    Nodes.push_back({G.Name, Top.Depth, G.Total, G.Self});
    PushChildren(Top.Index, Top.Depth + 1);
  }
  if (uint64_t Rest = Tree[0].Self)
    Nodes.push_back({FlameNames::NoStack, 0, Rest, Rest});
  return Nodes;
}

std::vector<FlameNode> FlameBuilder::build(const Profile &P, size_t MaxNodes) {
  const uint64_t Unseen = 20'000;
  order(P);
  Waiting.clear();
  Items.assign(1, {0, 0, 0, 0, static_cast<uint32_t>(Ordered.size())});
  Growing Root;
  Root.Name = Root.Parent = Root.FirstItem = 0;
  Root.EndItem = 1;
  Root.Total = P.Total;
  Tree.assign(1, Root);
  uint64_t Threshold = MaxNodes ? P.Total / Unseen : 0;
  expand(0, Threshold);
  grow(Threshold, MaxNodes);
  return inPreorder();
}

} // namespace memkit
