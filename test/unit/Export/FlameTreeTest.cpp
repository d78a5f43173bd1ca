// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame trees against a simple merge.

#include "Export/FlameTree.h"
#include "../Model/TextTrace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <random>

using namespace memkit;
using namespace llvm;

namespace {

/// Random stacks of few functions; some frames are inlined pairs.
std::unique_ptr<Trace> randomStacks(unsigned Seed, unsigned Stacks) {
  std::mt19937 Random(Seed);
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "header\ndictionary\n binary 1 path=\"/bin/a\"\n";
  const unsigned Functions = 5, Frames = 12;
  for (unsigned F = 1; F <= Functions; ++F)
    OS << " function " << F << " name=\"f" << F << "\"\n";
  for (unsigned F = 1; F <= Frames; ++F)
    OS << " frame " << F << " native binary=1 address=" << F << '\n';
  for (unsigned F = 1; F < Frames; ++F) { // the last frame has no symbols
    OS << " symbols " << F << " locations=[" << Random() % Functions + 1
       << ":1";
    if (Random() % 3 == 0)
      OS << ' ' << Random() % Functions + 1 << ":2";
    OS << "]\n";
  }
  for (unsigned S = 1; S <= Stacks; ++S) {
    OS << " stack " << S << " frames=[";
    for (unsigned Depth = Random() % 8; Depth; --Depth)
      OS << Random() % Frames + 1 << ' ';
    OS << "]\n";
  }
  OS << "complete\n";
  return textTrace(Text);
}

Profile randomProfile(const Trace &T, unsigned Seed) {
  std::mt19937 Random(Seed);
  Profile P;
  for (uint32_t S = 0; S <= T.numStacks(); ++S)
    for (unsigned Times = Random() % 3; Times; --Times) {
      uint64_t Value = 1ull << Random() % 20;
      P.Values.push_back({S, Value});
      P.Total += Value;
    }
  return P;
}

using Path = std::vector<std::string>;
struct Node {
  uint64_t Total = 0;
  uint64_t Self = 0;
  bool operator==(const Node &) const = default;
};

/// The expected tree: the sums of each path of functions.
std::map<Path, Node> mergeSimply(const Trace &T, const Profile &P) {
  std::map<Path, Node> Nodes;
  for (const KeyValue &V : P.Values) {
    Path Names;
    std::vector<ShownFrame> Frames = T.shownStack(V.Key);
    for (const ShownFrame &F : reverse(Frames)) {
      Names.push_back(F.Function.str());
      Nodes[Names].Total += V.Value;
    }
    if (Names.empty())
      Nodes[Names = {"(no stack)"}].Total += V.Value;
    Nodes[Names].Self += V.Value;
  }
  return Nodes;
}

std::map<Path, Node> flatten(ArrayRef<FlameNode> Nodes,
                             const FlameNames &Names) {
  std::map<Path, Node> Flat;
  Path At;
  for (const FlameNode &N : Nodes) {
    EXPECT_LE(N.Depth, At.size());
    At.resize(N.Depth);
    At.push_back(Names.names()[N.Name].Function.str());
    EXPECT_FALSE(Flat.count(At)) << "two siblings of one name";
    Flat[At] = {N.Total, N.Self};
  }
  return Flat;
}

} // namespace

TEST(FlameTree, WholeTreeIsTheMerge) {
  for (unsigned Seed = 0; Seed != 40; ++Seed) {
    auto T = randomStacks(Seed, 60);
    FlameNames Names(*T, FlameNames::Distinct::ByFunction);
    NodeRanks Ranks(*T);
    FlameBuilder Builder(*T, Ranks, Names);
    // A builder is used for many profiles.
    for (unsigned Again = 0; Again != 3; ++Again) {
      Profile P = randomProfile(*T, Seed * 3 + Again);
      EXPECT_EQ(flatten(Builder.build(P, 0), Names), mergeSimply(*T, P));
    }
  }
}

TEST(FlameTree, LimitKeepsTotalsAndTheLargest) {
  for (unsigned Seed = 0; Seed != 40; ++Seed) {
    auto T = randomStacks(Seed, 60);
    FlameNames Names(*T, FlameNames::Distinct::ByFunction);
    NodeRanks Ranks(*T);
    FlameBuilder Builder(*T, Ranks, Names);
    Profile P = randomProfile(*T, Seed);
    std::map<Path, Node> Whole = mergeSimply(*T, P);
    for (size_t Limit : {1, 5, 30}) {
      std::vector<FlameNode> Nodes = Builder.build(P, Limit);
      uint64_t Sum = 0, SmallestDrawn = UINT64_MAX;
      size_t Drawn = 0;
      std::map<Path, Node> Flat = flatten(Nodes, Names);
      for (const auto &[At, N] : Flat) {
        Sum += N.Self;
        if (At.back() == "(smaller)" || At.back() == "(no stack)")
          continue;
        ++Drawn;
        SmallestDrawn = std::min(SmallestDrawn, N.Total);
        EXPECT_EQ(N, Whole[At]);
      }
      EXPECT_EQ(Sum, P.Total);
      EXPECT_LE(Drawn, Limit);
      // No node that is left out is larger than the smallest drawn node.
      for (const auto &[At, N] : Whole)
        if (!Flat.count(At)) {
          EXPECT_LE(N.Total, SmallestDrawn);
        }
    }
  }
}

TEST(FlameTree, DeepStacksNeedNoDeepRecursion) {
  std::string Text = "header\ndictionary\n function 1 name=\"f\"\n"
                     " frame 1 named function=1\n stack 1 frames=[";
  for (int Depth = 0; Depth != 50'000; ++Depth)
    Text += "1 ";
  auto T = textTrace(Text + "]\ncomplete\n");
  FlameNames Names(*T, FlameNames::Distinct::ByFunction);
  Profile P;
  P.Values = {{1, 7}};
  P.Total = 7;
  std::vector<FlameNode> Nodes =
      FlameBuilder(*T, NodeRanks(*T), Names).build(P, 0);
  ASSERT_EQ(Nodes.size(), 50'000u);
  EXPECT_EQ(Nodes.back().Self, 7u);
  EXPECT_EQ(Nodes.front().Self, 0u);
}
