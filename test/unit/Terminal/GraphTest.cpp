// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in the terminal.

#include "Terminal/Graph.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Graph, DrawsColumns) {
  // Of 16 eighths: 8 becomes 16, 4 becomes 8, 1 becomes 2.
  EXPECT_EQ(drawColumns({8, 4, 1, 0}, 2, false),
            (std::vector<std::string>{"█   ", "██▂ "}));
  // Of 4 halves: 8 becomes 4, 4 becomes 2, 1 becomes less than one, which
  // shows.
  EXPECT_EQ(drawColumns({8, 4, 1, 0}, 2, true),
            (std::vector<std::string>{"#   ", "##. "}));
  EXPECT_EQ(drawColumns({0, 0}, 1, true), (std::vector<std::string>{"  "}));
  EXPECT_EQ(drawColumns({}, 1, true), (std::vector<std::string>{""}));
}
