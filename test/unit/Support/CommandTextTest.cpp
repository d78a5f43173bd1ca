// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that people paste.

#include "Support/CommandText.h"
#include <gtest/gtest.h>

using memkit::shellWord;

TEST(CommandText, ShellWord) {
  EXPECT_EQ(shellWord("/tmp/trace-1.fb"), "/tmp/trace-1.fb");
  EXPECT_EQ(shellWord("--at=12ns"), "--at=12ns");
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("my trace.fb"), "'my trace.fb'");
  EXPECT_EQ(shellWord("--heap=$(touch x);`y`"), "'--heap=$(touch x);`y`'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord("a\\b"), "'a\\b'");
  EXPECT_EQ(shellWord("a\n'\\"), "$'a\\x0a\\'\\\\'");
}
