// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bars in the terminal.

#include "Cli/Progress.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Progress, DrawsOverItself) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  {
    Progress P("replaying", OS, std::chrono::milliseconds(0));
    P.update(1, 2);
    // The second draw is too soon after the first.
    P.update(2, 2);
  }
  EXPECT_EQ(Text, "\rreplaying 50 % [###############...............]\r" +
                      std::string(47, ' ') + "\r");
}

TEST(Progress, SaysNothingOfShortWork) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  {
    Progress P("replaying", OS, std::chrono::hours(1));
    P.update(1, 2);
  }
  EXPECT_EQ(Text, "");
}
