// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that people paste.

#include "Support/CommandText.h"
#include "llvm/ADT/Twine.h"
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

using namespace memkit;
using namespace llvm;

TEST(CommandText, HarmlessText) {
  EXPECT_TRUE(isHarmless(""));
  EXPECT_TRUE(isHarmless("main(int, char **) ~ é 漢字 😀 \u00a0"));
  for (StringRef Bad :
       {StringRef("\0", 1), StringRef("a\nb"), StringRef("\x1b]0;x\x07"),
        StringRef("\x7f"), StringRef("\u0080"), StringRef("\u009b31m"),
        StringRef("\x9b"), StringRef("\xc3"), StringRef("\xed\xa0\x80"),
        StringRef("\xc0\x80"), StringRef("\u202e"), StringRef("\u2066"),
        StringRef("\u200f"), StringRef("\u061c"), StringRef("\u2028")}) {
    EXPECT_FALSE(isHarmless(Bad));
    EXPECT_FALSE(isHarmless(("é" + Bad + "é").str()));
    EXPECT_TRUE(isHarmless(oneLine(Bad))) << oneLine(Bad);
    EXPECT_TRUE(StringRef(oneLine(("é" + Bad + "漢").str())).contains("\\"));
    EXPECT_EQ(oneLine(oneLine(Bad)), oneLine(Bad));
  }
  EXPECT_EQ(oneLine("a\tb\n\x1b\u009b\u202e\x9b"),
            "a\\tb\\n\\x1b\\u009b\\u202e\\x9b");
  EXPECT_EQ(harmlessLines("a\n  b\x1b\nmemstat: c\n"),
            "a\n  b\\x1b\\nmemstat: c\n");
  EXPECT_EQ(shellWord("a\u009b"), "$'a\\xc2\\x9b'");
}
