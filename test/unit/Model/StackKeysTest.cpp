//===- StackKeysTest.cpp - Which stacks mean the same -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/StackKeys.h"
#include "TextTrace.h"

using namespace memkit;

TEST(StackKeys, CloneSuffixes) {
  EXPECT_EQ(withoutCloneSuffix("f"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.isra.0"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.isra.0.constprop.12"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.cold"), "f");
  EXPECT_EQ(withoutCloneSuffix("f.llvm.1234567"), "f");
  EXPECT_EQ(withoutCloneSuffix("a::f(int) [clone .isra.0] [clone .cold]"),
            "a::f(int)");
  EXPECT_EQ(withoutCloneSuffix("a::f(int) (.part.0)"), "a::f(int)");
  // These are names.
  EXPECT_EQ(withoutCloneSuffix("a::f(int)"), "a::f(int)");
  EXPECT_EQ(withoutCloneSuffix("operator[]"), "operator[]");
  EXPECT_EQ(withoutCloneSuffix("f (a)"), "f (a)");
  EXPECT_EQ(withoutCloneSuffix("module.function"), "module.function");
  EXPECT_EQ(withoutCloneSuffix(".5"), ".5");
  EXPECT_EQ(withoutCloneSuffix(""), "");
  EXPECT_EQ(withoutCloneSuffix("]"), "]");
}

/// Stacks 1 and 2: main > f > g, the second with g inlined in f; 3 another line
/// of f; 4 g and f the other way round; 5 main > f.
static const char *const Text = R"(
header
dictionary
  module 1 path="/bin/a"
  function 1 name="main" file="a.c"
  function 2 name="f" file="a.c"
  function 3 name="g" file="a.c"
  frame 1 native module=1 address=1
  frame 2 native module=1 address=2
  frame 3 native module=1 address=3
  frame 4 native module=1 address=4
  frame 5 native module=1 address=5
  symbols 1 locations=[1:1]
  symbols 2 locations=[2:2]
  symbols 3 locations=[3:3]
  symbols 4 locations=[3:3 2:2]
  symbols 5 locations=[2:20]
  stack 1 frames=[1 2 3]
  stack 2 frames=[1 4]
  stack 3 frames=[1 5 3]
  stack 4 frames=[1 3 2]
  stack 5 frames=[1 2]
complete
)";

TEST(StackKeys, WhatIsTheSame) {
  auto T = textTrace(Text);
  auto Key = [&](const std::vector<uint64_t> &Keys, uint32_t Stack) {
    return Keys[T->leaf(Stack)];
  };
  auto Functions = nodeKeys(*T, SameFrame::Function);
  EXPECT_EQ(Key(Functions, 1), Key(Functions, 2));
  EXPECT_EQ(Key(Functions, 1), Key(Functions, 3));
  EXPECT_NE(Key(Functions, 1), Key(Functions, 4));
  EXPECT_NE(Key(Functions, 1), Key(Functions, 5));
  auto Locations = nodeKeys(*T, SameFrame::Location);
  EXPECT_EQ(Key(Locations, 1), Key(Locations, 2));
  EXPECT_NE(Key(Locations, 1), Key(Locations, 3));

  // Another folder is the same module for functions, not for places.
  std::string Moved = Text;
  Moved.replace(Moved.find("/bin/a"), 6, "/opt/a");
  auto Other = textTrace(Moved);
  EXPECT_EQ(Functions, nodeKeys(*Other, SameFrame::Function));
  EXPECT_NE(Key(Locations, 1), Key(nodeKeys(*Other, SameFrame::Location), 1));
}
