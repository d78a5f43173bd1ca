// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Analysis/Places/LineAlignment.h"
#include "gtest/gtest.h"

using namespace memkit;

namespace {

using Lines = std::vector<FunctionLine>;
using Matches = std::vector<std::optional<uint32_t>>;

TEST(LineAlignment, EqualTextsAreCounterparts) {
  Lines Old = {{10, "a = f()"}, {12, "b = g()"}, {13, "c = h()"}};
  Lines New = {{20, "a = f()"}, {25, "c = h()"}};
  EXPECT_EQ(alignLines(Old, New), (Matches{0, std::nullopt, 1}));
  EXPECT_EQ(alignLines(New, Old), (Matches{0, 2}));
}

TEST(LineAlignment, AChangedLineStaysBetweenItsNeighbours) {
  Lines Old = {{1, "a"}, {2, "b = zeros(n)"}, {3, "c"}};
  Lines New = {{5, "a"}, {6, "b = zeros(2 * n)"}, {9, "c"}};
  EXPECT_EQ(alignLines(Old, New), (Matches{0, 1, 2}));
}

TEST(LineAlignment, LinesThatMovedPastOthersHaveOneCounterpart) {
  Lines Old = {{1, "a"}, {2, "b"}};
  Lines New = {{1, "b"}, {2, "a"}};
  EXPECT_EQ(alignLines(Old, New), (Matches{std::nullopt, 0}));
}

TEST(LineAlignment, WithoutTextAsManyLinesAreTheSame) {
  EXPECT_EQ(alignLines(Lines{{8, ""}, {10, ""}}, Lines{{10, ""}, {12, ""}}),
            (Matches{0, 1}));
}

TEST(LineAlignment, WithoutTextNumbersCount) {
  EXPECT_EQ(alignLines(Lines{{8, ""}}, Lines{{8, ""}, {12, ""}}), (Matches{0}));
  EXPECT_EQ(alignLines(Lines{{8, ""}, {12, ""}}, Lines{{12, ""}}),
            (Matches{std::nullopt, 0}));
  EXPECT_EQ(alignLines(Lines{{8, ""}, {9, ""}}, Lines{{20, ""}}),
            (Matches{std::nullopt, std::nullopt}));
}

TEST(LineAlignment, NothingAlignsWithNothing) {
  EXPECT_EQ(alignLines({}, Lines{{1, "a"}}), Matches{});
  EXPECT_EQ(alignLines(Lines{{1, "a"}}, {}), Matches{std::nullopt});
}

} // namespace
