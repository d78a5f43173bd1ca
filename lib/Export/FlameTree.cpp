//===- FlameTree.cpp - A profile as a tree of functions -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Export/FlameTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

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
  Name N = {F.Function, F.File.empty() ? F.Module : F.File, 0};
  if (F.FunctionId)
    N.Line = T.function(F.FunctionId).Line;
  std::string Key = F.Function.str();
  if (How == Distinct::ByPlace)
    (Key += '\0').append(N.File);
  auto [At, New] = ByText.try_emplace(Key, Names.size());
  if (New)
    Names.push_back(N);
  return At->second;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

FlameBuilder::FlameBuilder(const Trace &T, FlameNames &Names)
    : T(T), Names(Names), Values(T.numNodes() + 1), First(T.numNodes() + 1),
      Next(T.numNodes() + 1), Touched(T.numNodes() / 64 + 1) {}

/// Size classes are floating point with four bits behind the point.
static unsigned sizeClass(uint64_t Value) {
  if (Value < 16)
    return Value;
  unsigned Shift = Log2_64(Value) - 4;
  return (Shift + 1) * 16 + ((Value >> Shift) & 15);
}
static constexpr unsigned NumSizeClasses = 61 * 16 + 16;

/// The least value of a class.
static uint64_t classBegin(unsigned Class) {
  if (Class < 16)
    return Class;
  return static_cast<uint64_t>(16 + Class % 16) << (Class / 16 - 1);
}

void FlameBuilder::addValues(const Profile &P) {
  auto Touch = [&](uint32_t Node) {
    uint64_t Bit = uint64_t(1) << (Node % 64);
    bool Was = Touched[Node / 64] & Bit;
    Touched[Node / 64] |= Bit;
    return !Was;
  };
  for (const StackValue &V : P.Values) {
    uint32_t Node = T.leaf(V.Stack);
    Values[Node] += V.Value;
    while (Touch(Node) && Node)
      Node = T.parent(Node);
  }
}

/// Calls F with every touched node, highest first: children before parents.
template <typename FunctionT>
static void forEachDown(ArrayRef<uint64_t> Bits, FunctionT F) {
  for (size_t W = Bits.size(); W-- != 0;)
    for (uint64_t Word = Bits[W]; Word;) {
      unsigned Bit = Log2_64(Word);
      Word &= ~(uint64_t(1) << Bit);
      F(static_cast<uint32_t>(W * 64 + Bit));
    }
}

void FlameBuilder::sumUp() {
  Sizes.assign(NumSizeClasses, 0);
  forEachDown(Touched, [&](uint32_t Node) {
    if (!Node)
      return;
    uint32_t Parent = T.parent(Node);
    Values[Parent] += Values[Node];
    Next[Node] = First[Parent];
    First[Parent] = Node;
    Sizes[sizeClass(Values[Node])] += T.shown(T.frameOf(Node)).size();
  });
}

void FlameBuilder::clear() {
  forEachDown(Touched, [&](uint32_t Node) {
    Values[Node] = 0;
    First[Node] = 0;
  });
  std::fill(Touched.begin(), Touched.end(), 0);
}

uint64_t FlameBuilder::chooseThreshold(uint64_t Total, size_t MaxNodes) const {
  const uint64_t Unseen = 20'000;
  if (!MaxNodes)
    return 0;
  size_t Count = 0;
  unsigned Class = Sizes.size();
  while (Class && Count + Sizes[Class - 1] <= MaxNodes)
    Count += Sizes[--Class];
  uint64_t Fitting = Class ? classBegin(Class) : 0;
  return std::max(Fitting, Total / Unseen);
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

void FlameBuilder::addItem(uint32_t Node, uint32_t Shown,
                           std::vector<NamedItem> &Out) {
  // Shown frames stand innermost first.
  ArrayRef<ShownFrame> Frames = T.shown(T.frameOf(Node));
  size_t Index = &Frames[Frames.size() - 1 - Shown] - T.allShown().data();
  Out.push_back({Names.find(Index), {Node, Shown}});
}

void FlameBuilder::gatherChildren(ArrayRef<Item> Of,
                                  std::vector<NamedItem> &Out) {
  Out.clear();
  for (Item I : Of) {
    if (I.Node && I.Shown + 1 < T.shown(T.frameOf(I.Node)).size()) {
      addItem(I.Node, I.Shown + 1, Out);
      continue;
    }
    for (uint32_t Child = First[I.Node]; Child; Child = Next[Child])
      addItem(Child, 0, Out);
  }
  stable_sort(Out, [](const NamedItem &A, const NamedItem &B) {
    return A.Name < B.Name;
  });
}

/// Pushes a node for each name among Children, the largest last; what is below
/// the threshold goes to one node for all. Returns the sum of their totals.
uint64_t FlameBuilder::pushChildren(std::vector<NamedItem> &Children,
                                    uint32_t Depth, uint64_t Threshold) {
  struct Group {
    uint64_t Total;
    size_t Begin, End;
  };
  SmallVector<Group, 16> Groups;
  uint64_t Sum = 0, Folded = 0;
  for (size_t Begin = 0, End; Begin != Children.size(); Begin = End) {
    uint64_t Total = 0;
    for (End = Begin;
         End != Children.size() && Children[End].Name == Children[Begin].Name;
         ++End)
      Total += Values[Children[End].I.Node];
    Sum += Total;
    if (Total < Threshold)
      Folded += Total;
    else
      Groups.push_back({Total, Begin, End});
  }
  stable_sort(Groups,
              [](const Group &A, const Group &B) { return A.Total > B.Total; });
  if (Folded)
    Stack.push_back({FlameNames::Smaller, Depth, Folded, Items.size()});
  for (const Group &G : reverse(Groups)) {
    Stack.push_back({Children[G.Begin].Name, Depth, G.Total, Items.size()});
    for (size_t I = G.Begin; I != G.End; ++I)
      Items.push_back(Children[I].I);
  }
  return Sum;
}

std::vector<FlameNode> FlameBuilder::build(const Profile &P, size_t MaxNodes) {
  addValues(P);
  sumUp();
  uint64_t Threshold = chooseThreshold(P.Total, MaxNodes);
  std::vector<FlameNode> Nodes;
  std::vector<NamedItem> Children;
  std::vector<Item> Own;
  Item Root = {0, 0}; // has no frame, only children
  gatherChildren(Root, Children);
  uint64_t InStacks = pushChildren(Children, 0, Threshold);
  while (!Stack.empty()) {
    Pending Top = Stack.back();
    Stack.pop_back();
    Own.assign(Items.begin() + Top.FirstItem, Items.end());
    Items.resize(Top.FirstItem);
    gatherChildren(Own, Children);
    uint64_t Sum = pushChildren(Children, Top.Depth + 1, Threshold);
    Nodes.push_back({Top.Name, Top.Depth, Top.Total, Top.Total - Sum});
  }
  if (uint64_t Rest = P.Total - InStacks)
    Nodes.push_back({FlameNames::NoStack, 0, Rest, Rest});
  clear();
  return Nodes;
}

} // namespace memkit
