// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and bars in the terminal.

#include "memkit/Support/Graph.h"
#include "memkit/Support/Progress.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Graph, DrawsColumns) {
  // Of 16 eighths: 8 are 16, 4 are 8, 1 is 2.
  EXPECT_EQ(drawColumns({8, 4, 1, 0}, 2, false),
            (std::vector<std::string>{"█   ", "██▂ "}));
  // Of 4 halves: 8 are 4, 4 are 2, 1 is less than one and shows.
  EXPECT_EQ(drawColumns({8, 4, 1, 0}, 2, true),
            (std::vector<std::string>{"#   ", "##. "}));
  EXPECT_EQ(drawColumns({0, 0}, 1, true), (std::vector<std::string>{"  "}));
  EXPECT_EQ(drawColumns({}, 1, true), (std::vector<std::string>{""}));
}

TEST(Graph, TakesTheHighestOfEachPart) {
  // 0 up to 10, 5 up to 30, 9 for a moment, then 1; columns of 20.
  std::vector<SeriesPoint> Points = {{10, 5}, {30, 9}, {31, 1}};
  EXPECT_EQ(highestOf(Points, 0, 80, 4), (std::vector<uint64_t>{5, 9, 1, 1}));
  // What ends where a column begins is not in it.
  EXPECT_EQ(highestOf({{0, 7}, {20, 2}}, 0, 40, 2),
            (std::vector<uint64_t>{7, 2}));
  // However late a point is.
  EXPECT_EQ(highestOf({{0, 1}, {UINT64_MAX, 3}}, 0, 2, 2),
            (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(highestOf(Points, 5, 5, 2), (std::vector<uint64_t>{0, 0}));
}

TEST(Progress, DrawsOverItself) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  {
    Progress P("replaying", OS, std::chrono::milliseconds(0));
    P.update(1, 2);
    // Too soon after the first.
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
