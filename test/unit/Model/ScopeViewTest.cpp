// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scope paths as views show them.

#include "memkit/Model/ScopeView.h"
#include "TextTrace.h"

using namespace memkit;
using namespace llvm;

/// The path of the last scope path of Text (as in `scope path N Text`), by
/// names.
static std::string pathOf(const std::string &Text, GroupBy By,
                          unsigned Scopes) {
  auto T = textTrace("header\ndictionary\n scope-path " +
                     std::to_string(Scopes) + " " + Text + "\ncomplete\n");
  ScopeView V = groupScopes(*T, By);
  std::string Path;
  for (uint32_t N = V.Tree.leaf(Scopes); N; N = V.Tree.parent(N)) {
    EXPECT_LT(V.Tree.parent(N), N);
    Path = (V.Frames[V.Tree.frameOf(N) - 1].Function + ";" + Path).str();
  }
  return Path;
}

static std::string layers(const std::string &Text, unsigned Scopes) {
  return pathOf(Text, GroupBy::Layer, Scopes);
}

TEST(ScopeView, LayersNestByPath) {
  EXPECT_EQ(layers("layer:Net@1 > layer:enc@2 > layer:enc.layers.0@3", 3),
            "forward;Net;enc;enc.layers;enc.layers.0;");
  // Only the innermost layer is known.
  EXPECT_EQ(layers("layer:enc.layers.0@3", 1),
            "forward;enc;enc.layers;enc.layers.0;");
  // A prefix of a name is not a parent in the path.
  EXPECT_EQ(layers("layer:a.b@1 > layer:a.bc@2", 2), "forward;a;a.b;a.bc;");
  EXPECT_EQ(layers("layer:a.b@1 > layer:a.c.d@2", 2),
            "forward;a;a.b;a.c;a.c.d;");
  EXPECT_EQ(layers("layer:a.b@1 > layer:a@2", 2), "forward;a;a.b;a;");
  EXPECT_EQ(layers("layer:a@1 > layer:a@2", 2), "forward;a;");
  EXPECT_EQ(layers("layer:a@1 > operator:x@2 > user:y@3 > layer:a.b@3", 4),
            "forward;a;a.b;");
  // A program may use any names.
  EXPECT_EQ(layers("layer:..@1", 1), "forward;.;..;");
  auto T = textTrace("header\ndictionary\n scope 1 layer\n"
                     " scope-path 1 scope=1\ncomplete\n");
  EXPECT_EQ(groupScopes(*T, GroupBy::Layer).Frames[1].Function, "(no name)");
}

TEST(ScopeView, PhasesAreRoots) {
  EXPECT_EQ(layers("phase:backward@1", 1), "backward;");
  EXPECT_EQ(layers("phase:forward@1 > layer:a@1", 2), "forward;a;");
  EXPECT_EQ(layers("phase:backward@1 > operator:x@1 > layer:a@1", 3),
            "backward;a;");
  EXPECT_EQ(layers("layer:Lit@1 > phase:backward@1 > layer:a.b@1", 3),
            "backward;a;a.b;");
  EXPECT_EQ(
      layers("phase:backward@1 > layer:a@1 > phase:recompute@1 > layer:a@1", 4),
      "backward;recompute;a;");
}

TEST(ScopeView, NoneIsOneFrame) {
  EXPECT_EQ(layers("operator:x@1 > user:y@1", 2), "(no layer);");
  EXPECT_EQ(pathOf("layer:a@1", GroupBy::Operator, 1), "(no operator);");
  EXPECT_EQ(pathOf("layer:a@1", GroupBy::Scope, 1), "(no scope);");
  auto T = textTrace("header\ndictionary\ncomplete\n");
  ScopeView V = groupScopes(*T, GroupBy::ScopePath);
  ASSERT_EQ(V.Tree.Leaves.size(), 1u);
  EXPECT_EQ(V.Tree.leaf(0), 1u);
  EXPECT_EQ(V.Frames[0].Function, "(no scope path)");
}

TEST(ScopeView, InnermostOperators) {
  auto Operators = [](const std::string &Text, unsigned Scopes) {
    return pathOf(Text, GroupBy::Operator, Scopes);
  };
  EXPECT_EQ(Operators("layer:a@1 > operator:f@1 > operator:g@1", 3), "f;g;");
  EXPECT_EQ(Operators("operator:f@1 > layer:a@1 > operator:g@1", 3), "g;");
  EXPECT_EQ(Operators("operator:f@1 > layer:a@1", 2), "f;");
}

TEST(ScopeView, ScopesAndAll) {
  std::string Text = "phase:forward@1 > user:epoch@1 > layer:a@1 > range:r@1 > "
                     "operator:f@1";
  EXPECT_EQ(pathOf(Text, GroupBy::Scope, 5), "epoch;r;");
  EXPECT_EQ(pathOf(Text, GroupBy::ScopePath, 5), "forward;epoch;a;r;f;");
}

/// Only the first parts of a hostile path are used.
TEST(ScopeView, PathsOfManyParts) {
  std::string Name;
  for (unsigned I = 0; I != 10'000; ++I)
    Name += "a.";
  auto T = textTrace("header\ndictionary\n scope-path 1 layer:" + Name +
                     "@1\ncomplete\n");
  EXPECT_EQ(groupScopes(*T, GroupBy::Layer).Frames.size(), 67u);
}
