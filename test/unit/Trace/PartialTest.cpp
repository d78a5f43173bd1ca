// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial sections: stats that a recorder writes because events lack them.

#include "memkit/Trace/PartialRows.h"
#include "memkit/Trace/Sections.h"
#include "gtest/gtest.h"

using namespace memkit;

static Partial partial(uint32_t Number, bool Complete = true) {
  Partial P;
  P.Number = Number;
  P.EndNs = 100 * Number;
  P.Complete = Complete;
  return P;
}

static LayerStats layer(uint32_t Name, ScopeKind Kind, uint64_t Calls) {
  LayerStats L;
  L.Process = 1;
  L.Name = Name;
  L.Kind = Kind;
  L.Calls = Calls;
  return L;
}

TEST(Partial, LaterRowsTakeThePlaceOfEarlierOnes) {
  PartialRows Rows;
  Partial First = partial(1);
  First.Layers = {layer(1, ScopeKind::Layer, 2), layer(2, ScopeKind::User, 3)};
  First.Ooms = {{1, 1, 1, 1, 10, 0, 0, 64, 0}};
  Rows.add(First);
  Partial Second = partial(2);
  Second.Layers = {layer(1, ScopeKind::User, 7), layer(1, ScopeKind::Layer, 5)};
  Rows.add(Second);
  Summary S;
  Rows.addTo(S);
  EXPECT_EQ(Rows.endNs(), 200u);
  EXPECT_EQ(S.Layers, (std::vector<LayerStats>{layer(1, ScopeKind::Layer, 5),
                                               layer(2, ScopeKind::User, 3),
                                               layer(1, ScopeKind::User, 7)}));
  EXPECT_EQ(S.Ooms.size(), 1u);
}

TEST(Partial, OfManyOomsTheFirstSevenAndTheLastAreKept) {
  PartialRows Rows;
  for (uint32_t I = 1; I != 21; ++I) {
    Partial P = partial(I);
    P.Ooms.resize(1);
    P.Ooms[0].Number = I;
    P.Ooms[0].Process = 1;
    P.OomHeaps = {{I, 1, 0, 0, false, 0}};
    P.Categories.resize(1);
    P.Categories[0].Oom = I;
    P.Categories[0].Blocks = 1;
    Rows.add(P);
  }
  Summary S;
  Rows.addTo(S);
  std::vector<uint32_t> Numbers, Heaps, Categories;
  for (const OomRecord &O : S.Ooms)
    Numbers.push_back(O.Number);
  for (const OomHeap &H : S.OomHeaps)
    Heaps.push_back(H.Oom);
  for (const CategoryStats &C : S.Categories)
    Categories.push_back(C.Oom);
  EXPECT_EQ(Numbers, (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 20}));
  EXPECT_EQ(Heaps, Numbers);
  EXPECT_EQ(Categories, Numbers);
}
TEST(Partial, SetsWithoutTheirEndDoNotCount) {
  PartialRows Rows;
  Partial Cut = partial(1, /*Complete=*/false);
  Cut.Layers = {layer(1, ScopeKind::Layer, 2)};
  Rows.add(Cut);
  EXPECT_FALSE(Rows.any());
  Rows.add(partial(2));
  EXPECT_TRUE(Rows.any());
  Summary S;
  Rows.addTo(S);
  EXPECT_TRUE(S.Layers.empty());
}

/// Events give the remainder of a process's stats, including the peaks.
TEST(Partial, OnlyWhatEventsDoNotTellIsTaken) {
  PartialRows Rows;
  Partial P = partial(1);
  P.Processes.resize(2);
  P.Processes[0].Process = 1;
  P.Processes[0].Allocations = 5;
  P.Processes[0].InheritedFrees = 3;
  P.Processes[0].RssPeakBytes = 100;
  P.Processes[1].Process = 2;
  P.Categories = {{1, 1, TensorCategory::Input, 0, 0, 0, 1, 8},
                  {2, 1, TensorCategory::Input, 0, 0, 0, 1, 8},
                  {2, 1, TensorCategory::Gradient, 0, 0, 0, 1, 1}};
  Rows.add(P);
  Partial Gone = partial(2);
  Gone.Categories = {{2, 1, TensorCategory::Gradient, 0, 0, 0, 0, 0}};
  Rows.add(Gone);
  Summary S;
  S.Processes.resize(1);
  S.Processes[0].Process = 1;
  S.Processes[0].Allocations = 9;
  S.Processes[0].RssPeakBytes = 200;
  S.Heaps.resize(2);
  S.Heaps[0].Id = 1;
  S.Heaps[0].PeakBlocks = 1;
  S.Heaps[0].PeakBytes = 9; // a later peak
  S.Heaps[1].Id = 2;
  S.Heaps[1].PeakBlocks = 1;
  S.Heaps[1].PeakBytes = 8;
  Rows.addTo(S);
  ASSERT_EQ(S.Processes.size(), 2u);
  EXPECT_EQ(S.Processes[0].Allocations, 9u);
  EXPECT_EQ(S.Processes[0].InheritedFrees, 3u);
  EXPECT_EQ(S.Processes[0].RssPeakBytes, 200u);
  ASSERT_EQ(S.Categories.size(), 1u);
  EXPECT_EQ(S.Categories[0].Heap, 2u);
}

TEST(Partial, ManyRowsAreWrittenInParts) {
  PartialRows Rows;
  for (uint32_t Number : {1, 2}) {
    Partial P = partial(Number);
    for (uint32_t I = 0; I != MaxSectionRows; ++I)
      P.Layers.push_back(layer(I + Number, ScopeKind::Layer, Number));
    Rows.add(std::move(P));
  }
  Summary Last;
  Last.Number = 4;
  std::vector<Summary> Parts;
  llvm::cantFail(Rows.writeWith(Last, [&](const Summary &Part) {
    Parts.push_back(Part);
    return llvm::Error::success();
  }));
  ASSERT_EQ(Parts.size(), 2u);
  EXPECT_FALSE(Parts[0].Complete);
  EXPECT_EQ(Parts[0].Number, 4u);
  EXPECT_EQ(Parts[0].Layers.size(), MaxSectionRows);
  EXPECT_TRUE(Parts[1].Complete);
  EXPECT_EQ(Parts[1].Layers.size(), 1u);
}
