// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point operations from the shapes of inputs.

#include "Scopes/FlopFormulas.h"
#include <gtest/gtest.h>

using namespace memkit;

namespace {

TEST(FlopFormulas, Matrices) {
  EXPECT_EQ(2u * 64 * 128 * 32,
            flopsOf("aten::mm", "float32[64,128] float32[128,32]"));
  EXPECT_EQ(
      2u * 64 * 128 * 32,
      flopsOf("aten::addmm", "float32[32] float32[64,128] float32[128,32]"));
  EXPECT_EQ(2u * 4 * 5 * 6 * 7,
            flopsOf("aten::bmm", "bfloat16[4,5,6] bfloat16[4,6,7]"));
  EXPECT_EQ(
      2u * 4 * 5 * 6 * 7,
      flopsOf("aten::baddbmm", "float32[4,5,7] float32[4,5,6] float32[4,6,7]"));
  EXPECT_EQ(2u * 2 * 3 * 4,
            flopsOf("aten::_scaled_mm", "float8_e4m3fn[2,3] float8_e4m3fn[3,4] "
                                        "float32[] float32[]"));
}

TEST(FlopFormulas, OtherOperatorsHaveNone) {
  EXPECT_EQ(0u, flopsOf("aten::linear", "float32[4,2] float32[3,2]"));
  EXPECT_EQ(0u, flopsOf("mm", "float32[64,128] float32[128,32]"));
  EXPECT_EQ(0u, flopsOf("aten::mm_", "float32[64,128] float32[128,32]"));
  EXPECT_EQ(0u, flopsOf("", ""));
}

TEST(FlopFormulas, Convolution) {
  // 32 by 32 places of 3 by 3 weights, for 3 and 16 channels.
  constexpr uint64_t Full = 2ull * 8 * 16 * 3 * 3 * 3 * 32 * 32;
  const char *Inputs = "float32[8,3,32,32] float32[16,3,3,3] float32[16]";
  auto With = [&](const char *Numbers) {
    return flopsOf("aten::convolution", std::string(Inputs) + Numbers);
  };
  EXPECT_EQ(Full, With(" padding=1,1"));
  EXPECT_EQ(Full, With(" padding=1"));
  EXPECT_EQ(Full / 4, With(" stride=2,2 padding=1,1"));
  EXPECT_EQ(Full / 1024 * 30 * 30, With(""));
  EXPECT_EQ(Full / 1024 * 28 * 28, With(" dilation=2,2"));
  EXPECT_EQ(Full, With(" transposed output_padding=1,1"));
  EXPECT_EQ(0u, With(" stride=?"));
  EXPECT_EQ(0u, With(" stride=0,0"));
  EXPECT_EQ(0u, With(" dilation=16,16"));
  EXPECT_EQ(2u * 5 * 4 * 2 * 3 * 8,
            flopsOf("aten::convolution", "float32[5,2,10] float32[4,2,3]"));
}

TEST(FlopFormulas, ConvolutionBackward) {
  const char *Inputs = "float32[8,16,32,32] float32[8,3,34,34] "
                       "float32[16,3,3,3]";
  auto With = [&](const char *Numbers) {
    return flopsOf("aten::convolution_backward", std::string(Inputs) + Numbers);
  };
  constexpr uint64_t OfInput = 2ull * 8 * 16 * 3 * 3 * 3 * 32 * 32;
  constexpr uint64_t OfWeight = 2ull * 3 * (8 * 16 * 32 * 32) * 9;
  EXPECT_EQ(OfInput + OfWeight, With(""));
  EXPECT_EQ(OfInput, With(" mask=1,0,1"));
  EXPECT_EQ(OfWeight, With(" mask=0,1,1"));
  EXPECT_EQ(0u, With(" mask=0,0,1"));
  EXPECT_EQ(0u, With(" mask=0"));
  EXPECT_EQ(2ull * 8 * 16 * 3 * 9 * 34 * 34 + 2ull * 16 * (8 * 3 * 34 * 34) * 9,
            With(" transposed"));
}

TEST(FlopFormulas, Attention) {
  const char *Name = "aten::_scaled_dot_product_flash_attention_for_cpu";
  EXPECT_EQ(2u * 2 * 8 * 10 * 12 * (64 + 32),
            flopsOf(Name, "float32[2,8,10,64] float32[2,8,12,64] "
                          "float32[2,8,12,32]"));
  // Groups of heads share keys and values.
  EXPECT_EQ(2u * 2 * 8 * 10 * 12 * (64 + 32),
            flopsOf(Name, "float32[2,8,10,64] float32[2,4,12,64] "
                          "float32[2,4,12,32]"));
  EXPECT_EQ(0u, flopsOf(Name, "float32[2,8,10,64] float32[2,3,12,64] "
                              "float32[2,3,12,32]"));
  EXPECT_EQ(
      2u * 2 * 8 * 10 * 12 * (3 * 64 + 2 * 32),
      flopsOf("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
              "float32[2,8,10,32] float32[2,8,10,64] float32[2,8,12,64] "
              "float32[2,8,12,32] float32[2,8,10,32] float32[2,8,10]"));
  // Lengths of sequences in a tensor are not known.
  EXPECT_EQ(0u, flopsOf("aten::_efficient_attention_forward",
                        "float32[1,8,10,64] float32[1,8,10,64] "
                        "float32[1,8,10,64] int32[4] int32[4]"));
}

TEST(FlopFormulas, TakesAnyText) {
  for (const char *Text :
       {"", " ", "float32", "float32[", "float32[]", "[]", "float32[2,3",
        "float32[2,x] float32[2,2]", "float32[2,3] float32[4,5]",
        "float32[?] float32[2,2]", "float32[2,2] ...", "=", "a=", "=1",
        "float32[-1,2] float32[2,2]",
        "float32[2,99999999999999999999] float32[2,2]"})
    for (const char *Name :
         {"aten::mm", "aten::addmm", "aten::baddbmm", "aten::convolution",
          "aten::convolution_backward", "aten::_flash_attention_backward"})
      EXPECT_EQ(0u, flopsOf(Name, Text)) << Name << " " << Text;
  EXPECT_EQ(UINT64_MAX,
            flopsOf("aten::mm",
                    "float32[9999999999,9999999999] float32[9999999999,2]"));
  EXPECT_EQ(0u, flopsOf("aten::convolution",
                        "float32[1,1,0] float32[1,1,0] stride=1"));
  EXPECT_EQ(0u, flopsOf("aten::convolution", "float32[1,1,5] float32[1,1,3] "
                                             "dilation=18446744073709551615"));
}

} // namespace
