// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and buffers by layer.

#include "Scopes/ParameterTable.h"
#include "gtest/gtest.h"

using namespace memkit;

namespace {

constexpr uint32_t Encoder = 1, Head = 2, Float32 = 3, Bfloat16 = 4;

TEST(ParameterTable, SumsTensorsByLayerAndDtype) {
  std::vector<ParameterStats> Rows;
  ParameterTable T(Rows, 7);
  T.add(0x1000, Encoder, Float32, false, 10, 40);
  T.add(0x2000, Encoder, Float32, false, 5, 20);
  T.add(0x3000, Encoder, Bfloat16, false, 5, 10);
  T.add(0x4000, Encoder, Float32, true, 1, 4);
  std::vector<ParameterStats> Want = {{7, Encoder, Float32, false, 2, 15, 60},
                                      {7, Encoder, Bfloat16, false, 1, 5, 10},
                                      {7, Encoder, Float32, true, 1, 1, 4}};
  EXPECT_EQ(Rows, Want);
}

TEST(ParameterTable, CountsMemoryOfTwoLayersForTheFirst) {
  std::vector<ParameterStats> Rows;
  ParameterTable T(Rows, 7);
  T.add(0x1000, Encoder, Float32, false, 10, 40);
  T.add(0x1000, Head, Float32, false, 10, 40);
  ASSERT_EQ(Rows.size(), 1u);
  // The memory is another tensor's now.
  T.forget(0x1000);
  T.add(0x1000, Head, Float32, false, 10, 40);
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[1].Layer, Head);
}

TEST(ParameterTable, ALayerReportsAgain) {
  std::vector<ParameterStats> Rows;
  ParameterTable T(Rows, 7);
  T.begin(Encoder);
  T.add(0x1000, Encoder, Float32, false, 10, 40);
  T.begin(Encoder);
  EXPECT_EQ(Rows[0].Tensors, 0u);
  T.add(0x2000, Encoder, Float32, false, 20, 80);
  std::vector<ParameterStats> Want = {{7, Encoder, Float32, false, 1, 20, 80}};
  EXPECT_EQ(Rows, Want);
}

} // namespace
