// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts, numbers and axes of pictures.

#include "Export/Svg.h"
#include "Export/CurveSvg.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Svg, XmlTextEscapesAndReplaces) {
  EXPECT_EQ(xmlText("a<b>&\"c\"]]>"), "a&lt;b&gt;&amp;&quot;c&quot;]]&gt;");
  EXPECT_EQ(xmlText("two\nlines"), "two\nlines");
  EXPECT_EQ(xmlText("\x1b"), "\uFFFD");
  EXPECT_EQ(xmlText(llvm::StringRef("\0", 1)), "\uFFFD");
  EXPECT_EQ(xmlText("\u0085\u202e\u2066\uFFFE"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  // A surrogate, an overlong form, a lone byte, and a cut character.
  EXPECT_EQ(xmlText("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(xmlText("\xc0\xaf"), "\uFFFD\uFFFD");
  EXPECT_EQ(xmlText("a\xff"), "a\uFFFD");
  EXPECT_EQ(xmlText("\xe6\xbc"), "\uFFFD\uFFFD");
  EXPECT_EQ(xmlText("漢"), "漢");
}

TEST(Svg, PictureTextIsOneLine) {
  EXPECT_EQ(pictureText("a\tb\r\nc<\x01"), "a b  c<\uFFFD");
}

TEST(Svg, ClipTextCountsColumns) {
  EXPECT_EQ(clipText("abcdef", 6), "abcdef");
  EXPECT_EQ(clipText("abcdef", 5), "abcd…");
  EXPECT_EQ(clipText("abcdef", 3), "ab…");
  EXPECT_EQ(clipText("abcdef", 2), "");
  EXPECT_EQ(clipText("abcdef", 0), "");
  EXPECT_EQ(clipText("", 0), "");
  EXPECT_EQ(clipText("ab cdef", 4), "ab…");
  EXPECT_EQ(textColumns("漢字"), 4u);
  EXPECT_EQ(clipText("漢字漢字", 6), "漢字…");
}

TEST(Svg, ClipToWidth) {
  EXPECT_EQ(clipToWidth("name", 1000, 12), "name");
  EXPECT_EQ(clipToWidth("name", 0, 12), "");
  std::string Clipped = clipToWidth("a name of many words", 60, 12);
  EXPECT_TRUE(llvm::StringRef(Clipped).ends_with("…")) << Clipped;
  EXPECT_LE(textWidth(Clipped, 12), 72);
}

TEST(Svg, NumbersHaveOneDecimal) {
  EXPECT_EQ(svgNumber(0), "0");
  EXPECT_EQ(svgNumber(0.04), "0");
  EXPECT_EQ(svgNumber(-0.04), "0");
  EXPECT_EQ(svgNumber(0.25), ".3");
  EXPECT_EQ(svgNumber(-0.5), "-.5");
  EXPECT_EQ(svgNumber(12), "12");
  EXPECT_EQ(svgNumber(1199.96), "1200");
  EXPECT_EQ(svgNumber(-12.34), "-12.3");
}

TEST(CurveSvg, AxesOfBytes) {
  EXPECT_EQ(byteTick(0), 1u);
  EXPECT_EQ(byteTick(5), 1u);
  EXPECT_EQ(byteTick(6), 2u);
  EXPECT_EQ(byteTick(343ull << 20), 64ull << 20);
  EXPECT_EQ(byteTick(1ull << 30), 256ull << 20);
  EXPECT_LE(UINT64_MAX / byteTick(UINT64_MAX), 7u);
}

TEST(CurveSvg, AxesOfTime) {
  const uint64_t Second = 1'000'000'000;
  EXPECT_EQ(timeTick(0, 12), 1u);
  EXPECT_EQ(timeTick(2'000'000, 12), 200'000u);
  EXPECT_EQ(timeTick(11 * Second, 12), Second);
  EXPECT_EQ(timeTick(100 * Second, 12), 10 * Second);
  EXPECT_EQ(timeTick(3600 * Second, 12), 600 * Second);
  EXPECT_LE(UINT64_MAX / timeTick(UINT64_MAX, 12), 12u);
}
