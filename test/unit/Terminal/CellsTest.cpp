// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Terminal/Cells.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(CellsTest, WritesAndCuts) {
  Cells C(6, 2);
  EXPECT_EQ(C.write(0, 4, "abc"), 7u);
  EXPECT_EQ(C.write(1, 1, "x"), 2u);
  C.write(9, 0, "outside");
  EXPECT_EQ(C.text(), "    ab\n x\n");
}

TEST(CellsTest, HasNoControlCharacters) {
  Cells C(8, 1);
  C.write(0, 0, "a\x1b[2J\n\xff");
  EXPECT_EQ(C.text(), "a?[2J??\n");
}

TEST(CellsTest, WideCharactersTakeTwoColumns) {
  Cells C(5, 1);
  EXPECT_EQ(C.write(0, 0, "漢字x"), 5u);
  EXPECT_EQ(C.text(), "漢字x\n");
  EXPECT_EQ(C.at(0, 1).CodePoint, 0u);
  // The half of a wide character is not written.
  Cells Narrow(3, 1);
  Narrow.write(0, 0, "漢字");
  EXPECT_EQ(Narrow.text(), "漢\n");
}

TEST(CellsTest, FitsTexts) {
  EXPECT_EQ(fitText("abcdef", 6), "abcdef");
  EXPECT_EQ(fitText("abcdef", 4), "abc~");
  EXPECT_EQ(fitText("漢字", 3), "漢~");
  EXPECT_EQ(fitText("漢字", 2), "~");
  EXPECT_EQ(fitText("abc", 0), "");
  EXPECT_EQ(columnsOfText("a漢\xff"), 4u);
}
