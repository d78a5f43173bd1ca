// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of tensors that wait to be written.

#include "Output/BlockCategoryLog.h"
#include <gtest/gtest.h>

using namespace memkit;
using K = TensorCategory;
using Rows = std::vector<BlockCategory>;

TEST(BlockCategoryLog, GivesRowsByRisingIdAndTheLastOfABlock) {
  BlockCategoryLog L;
  L.add(7, K::Activation);
  L.add(3, K::Parameter);
  L.add(7, K::Temporary);
  L.AddLive = [&] { L.add(5, K::Input); };
  EXPECT_EQ(L.take(),
            Rows({{3, K::Parameter}, {5, K::Input}, {7, K::Temporary}}));
  L.AddLive = nullptr;
  EXPECT_EQ(L.take(), Rows());
}

TEST(BlockCategoryLog, IsDueWithManyRows) {
  BlockCategoryLog L;
  for (uint64_t Id = 0; Id != 2048; ++Id) {
    EXPECT_FALSE(L.isDue());
    L.add(Id, K::Input);
  }
  EXPECT_TRUE(L.isDue());
  EXPECT_FALSE(L.isFull());
  for (uint64_t Id = 2048; Id != 16384; ++Id)
    L.add(Id, K::Input);
  EXPECT_TRUE(L.isFull());
}

TEST(BlockCategoryLog, DropsBlocksWithoutEvents) {
  BlockCategoryLog L;
  L.end(10);
  L.end(20); // the first end counts
  L.add(9, K::Gradient);
  L.add(10, K::Gradient);
  EXPECT_EQ(L.take(), Rows({{9, K::Gradient}}));
}
