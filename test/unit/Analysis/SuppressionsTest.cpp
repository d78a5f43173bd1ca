// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of suppressions.

#include "memkit/Analysis/Suppressions.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Suppressions, Patterns) {
  struct {
    const char *Pattern, *Text;
    bool Matches;
  } const Cases[] = {
      {"leak", "my_leak_x", true},
      {"leak", "lea", false},
      {"leak", "", false},
      {"*", "anything", true},
      {"*", "", false},
      {"^leak", "leak_x", true},
      {"^leak", "my_leak", false},
      {"leak$", "my_leak", true},
      {"leak$", "leak_x", false},
      {"^leak$", "leak", true},
      {"^leak$", "leak_leak", false},
      {"le*k", "a leeek b", true},
      {"^le*k$", "leak_k", true},
      {"^le*k$", "leak_", false},
      {"^a*b*c$", "a_c_b_c", true},
      {"^a*b*c$", "a_c_b", false},
      {"^ab*ba$", "aba", false}, // the pieces do not overlap
      {"^a*", "a", true},
      {"a*a", "a", false},
      {"lib*.so", "/usr/lib/libx.so.6", true},
  };
  for (const auto &C : Cases)
    EXPECT_EQ(matchSuppression(C.Pattern, C.Text), C.Matches)
        << C.Pattern << " on " << C.Text;
}

TEST(Suppressions, Files) {
  Suppressions S;
  llvm::cantFail(S.parse("# comment\n\nleak:a\r\n  leak: b c \n", "f"));
  EXPECT_EQ(S.patterns(), (llvm::ArrayRef<std::string>{"a", "b c"}));
  EXPECT_EQ(llvm::toString(S.parse("leak:x\nrace:y\n", "f")),
            "f:2: 'race:y' is not of the form leak:PATTERN");
  EXPECT_EQ(llvm::toString(S.parse("leak:", "f")),
            "f:1: 'leak:' is not of the form leak:PATTERN");
}
