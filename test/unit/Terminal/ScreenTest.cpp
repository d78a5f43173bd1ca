// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Terminal/Screen.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(ScreenTest, SendsWhatHasChanged) {
  Cells A(10, 2), B(10, 2);
  A.write(0, 0, "one two");
  B.write(0, 0, "one six");
  EXPECT_EQ(screenChanges(&A, B, false),
            "\x1b[?2026h\x1b[1;5H\x1b[0msix\x1b[0m\x1b[?2026l");
  EXPECT_EQ(screenChanges(&A, A, false), "\x1b[?2026h\x1b[0m\x1b[?2026l");
}

TEST(ScreenTest, DrawsAllOnANewSize) {
  Cells A(3, 1), B(4, 1);
  A.write(0, 0, "abc");
  B.write(0, 0, "abc", CS_Red);
  EXPECT_EQ(screenChanges(&A, B, true),
            "\x1b[?2026h\x1b[0m\x1b[2J\x1b[1;1H\x1b[0;31mabc\x1b[0m"
            "\x1b[?2026l");
  // Without colours, the rest of the style stays.
  B.write(0, 0, "a", CS_Red | CS_Bold);
  EXPECT_NE(screenChanges(nullptr, B, false).find("\x1b[0;1ma"),
            std::string::npos);
}
