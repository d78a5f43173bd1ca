//===- FlameTree.cpp - A profile as a tree of functions -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Export/FlameTree.h"
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

FlameNames::FlameNames(const Trace &T, Distinct How)
    : T(T), How(How), ByShown(T.allShown().size()) {
  Names.push_back({"(smaller)", "", 0});
  Names.push_back({"(no stack)", "", 0});
}

uint32_t FlameNames::intern(uint32_t ShownIndex) {
  const ShownFrame &F = T.allShown()[ShownIndex];
  uint32_t Line = F.FunctionId ? T.function(F.FunctionId).Line : 0;
  return intern({F.Function, F.File.empty() ? F.Module : F.File, Line});
}

uint32_t FlameNames::intern(const Name &N) {
  std::string Key = N.Function.str();
  if (How == Distinct::ByPlace)
    (Key += '\0').append(N.File);
  auto [At, New] = ByText.try_emplace(Key, Names.size());
  if (New)
    Names.push_back(N);
  return At->second;
}

std::vector<uint32_t> FlameNames::add(const FlameNames &Other) {
  std::vector<uint32_t> Numbers = {Smaller, NoStack};
  for (const Name &N : Other.names().drop_front(2))
    Numbers.push_back(intern(N));
  return Numbers;
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
  for (const StackValue &V : P.Values)
    Ordered.push_back(
        {Ranks.rank(T.leaf(V.Stack)), static_cast<uint32_t>(Ordered.size())});
  radixSort(Ordered, Scratch, T.numNodes());
  Sums.assign(1, 0);
  for (const RankedValue &V : Ordered)
    Sums.push_back(Sums.back() + P.Values[V.Index].Value);
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

void FlameBuilder::addItem(Item I) {
  // Shown frames stand innermost first.
  ArrayRef<ShownFrame> Frames = T.shown(T.frameOf(Ranks.node(I.Rank)));
  size_t Index = &Frames[Frames.size() - 1 - I.Shown] - T.allShown().data();
  Children.push_back({Names.find(Index), I});
}

/// Finds what lies directly above a node of the tree: the next inlined function
/// of its items, or the children of their nodes that have stacks.
void FlameBuilder::gatherChildren(const Growing &G) {
  Children.clear();
  for (uint32_t At = G.FirstItem; At != G.EndItem; ++At) {
    Item I = Items[At];
    uint32_t Node = Ranks.node(I.Rank);
    if (Node && I.Shown + 1 < T.shown(T.frameOf(Node)).size()) {
      addItem({I.Rank, I.Shown + 1, I.Begin, I.End});
      continue;
    }
    // Stacks that end here come first.
    uint32_t Next = I.Begin;
    while (Next != I.End && Ordered[Next].Rank == I.Rank)
      ++Next;
    for (uint32_t Child = I.Rank + 1; Next != I.End;) {
      uint32_t Last = Ranks.last(Child);
      uint32_t Begin = Next;
      while (Next != I.End && Ordered[Next].Rank <= Last)
        ++Next;
      if (Next != Begin)
        addItem({Child, 0, Begin, Next});
      Child = Last + 1;
    }
  }
  stable_sort(Children, [](const NamedItem &A, const NamedItem &B) {
    return A.Name < B.Name;
  });
}

/// Adds the children of a node to the tree, one for each name, and lets them
/// wait; those below the threshold are folded.
void FlameBuilder::expand(uint32_t Index, uint64_t Threshold) {
  gatherChildren(Tree[Index]);
  uint64_t Inner = 0, Folded = 0;
  for (size_t Begin = 0, End; Begin != Children.size(); Begin = End) {
    uint64_t Total = 0;
    for (End = Begin;
         End != Children.size() && Children[End].Name == Children[Begin].Name;
         ++End)
      Total += valueOf(Children[End].I);
    Inner += Total;
    if (Total < Threshold) {
      Folded += Total;
      continue;
    }
    Growing G;
    G.Name = Children[Begin].Name;
    G.Parent = Index;
    G.Total = Total;
    G.FirstItem = Items.size();
    for (size_t I = Begin; I != End; ++I)
      Items.push_back(Children[I].I);
    G.EndItem = Items.size();
    Waiting.push_back(Tree.size());
    Tree.push_back(G);
  }
  Tree[Index].Self = Tree[Index].Total - Inner;
  Tree[Index].Folded = Folded;
}

/// Expands the largest nodes first until there are enough.
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
  // The drawn nodes by parent, the smallest first: as a stack takes them.
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
  // A node of the tree, or what was folded in one.
  struct Pending {
    uint32_t Index;
    uint32_t Depth;
    bool IsFolded;
  };
  std::vector<Pending> Stack;
  auto PushChildren = [&](uint32_t Index, uint32_t Depth) {
    if (Tree[Index].Folded)
      Stack.push_back({Index, Depth, true});
    for (uint32_t C = FirstChild[Index]; C != FirstChild[Index + 1]; ++C)
      Stack.push_back({Sorted[C], Depth, false});
  };
  PushChildren(0, 0);
  while (!Stack.empty()) {
    Pending Top = Stack.back();
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
  Items.assign(1, {0, 0, 0, static_cast<uint32_t>(Ordered.size())});
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
