//===- CodingTest.cpp - The codings of columns -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "References.h"
#include "StackTree.h"
#include "gtest/gtest.h"
#include <random>

using namespace memkit;

TEST(References, BytesAsTheFormatSays) {
  ReferenceCoder C;
  EXPECT_EQ(C.encode(9, 10), 0);           // the newest block
  EXPECT_EQ(C.encode(0, 128), 127);        // as far as a distance reaches
  EXPECT_EQ(C.encode(63, 1000), 191 + 63); // 63 behind the one before
  EXPECT_EQ(C.encode(0, 1000), 191 - 63);
  EXPECT_EQ(C.encode(64, 1000), ReferenceCoder::Far);
}

TEST(References, WhatDoesNotExistIsRefused) {
  uint64_t Block;
  EXPECT_FALSE(ReferenceCoder().decode(0, 0, 0, Block));
  EXPECT_FALSE(ReferenceCoder().decode(10, 0, 10, Block));
  EXPECT_TRUE(ReferenceCoder().decode(9, 0, 10, Block));
  EXPECT_FALSE(ReferenceCoder().decode(191, 0, 10, Block)); // none before
  EXPECT_FALSE(ReferenceCoder().decode(255, 10, 10, Block));
  EXPECT_FALSE(ReferenceCoder().decode(255, ~uint64_t(0), 10, Block));
  ReferenceCoder C;
  EXPECT_TRUE(C.decode(0, 0, 10, Block));
  EXPECT_FALSE(C.decode(192, 0, 10, Block)); // block 10
}

TEST(StackTree, RowsThatLeadOutAreRefused) {
  std::vector<NewStack> Out;
  EXPECT_FALSE(
      StackTree().decode({{1}, {}, {0}, {}}, 0, Out)); // above the root
  EXPECT_FALSE(StackTree().decode({{0}, {}, {2}, {}}, 1, Out)); // too long
  EXPECT_FALSE(
      StackTree().decode({{0}, {}, {1}, {}}, 2, Out)); // nodes left over
  EXPECT_FALSE(StackTree().decode({{255}, {1}, {0}, {}}, 0, Out)); // far parent
  EXPECT_FALSE(StackTree().decode({{255}, {}, {0}, {}}, 0, Out));
  EXPECT_TRUE(StackTree().decode({{0, 1}, {}, {2, 1}, {}}, 3, Out));
  EXPECT_EQ(Out[1].Parent, 1u);
}

TEST(StackTree, RandomTreesComeBack) {
  std::mt19937 Random(3);
  StackTree Writer, Reader;
  for (unsigned Round = 0; Round != 20; ++Round) {
    std::vector<NewStack> Stacks, Got;
    uint32_t Nodes = Writer.nodes(), Added = 0;
    for (unsigned I = 0; I != 500; ++I) {
      NewStack S;
      S.Parent = uint32_t(Random() % (Nodes + Added + 1));
      S.Length = Random() % 50 ? uint32_t(Random() % 8) : 250 + Random() % 10;
      Added += S.Length;
      Stacks.push_back(S);
    }
    StackRows Rows;
    Writer.encode(Stacks, Rows);
    ASSERT_TRUE(Reader.decode(Rows, Added, Got));
    EXPECT_TRUE(Got == Stacks);
  }
}
