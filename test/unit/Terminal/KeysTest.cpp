// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Terminal/Keys.h"
#include "gtest/gtest.h"

using namespace memkit;

static std::vector<KeyKind> kindsOf(llvm::StringRef Bytes) {
  KeyReader R;
  R.add(Bytes);
  std::vector<KeyKind> Out;
  while (std::optional<Key> K = R.next(true))
    Out.push_back(K->Kind);
  return Out;
}

TEST(KeysTest, ReadsSequences) {
  using enum KeyKind;
  EXPECT_EQ(kindsOf("\x1b[A\x1bOB\x1b[5~\x1b[1;5C\x1b[Z"),
            (std::vector{Up, Down, PageUp, Right, BackTab}));
  EXPECT_EQ(kindsOf("\r\t\x7f\x1b"),
            (std::vector{Enter, Tab, Backspace, Escape}));
  EXPECT_EQ(kindsOf("\x1b[99~\x1b[<0;1;1M"), (std::vector{Unknown, Unknown}));
}

TEST(KeysTest, WaitsForTheRest) {
  KeyReader R;
  R.add("\x1b");
  EXPECT_FALSE(R.next(false));
  R.add("[");
  EXPECT_FALSE(R.next(false));
  R.add("A");
  EXPECT_EQ(R.next(false)->Kind, KeyKind::Up);
  R.add("\xc3");
  EXPECT_FALSE(R.next(false));
  R.add("\xa4");
  EXPECT_EQ(R.next(false)->CodePoint, 0xe4u);
}

TEST(KeysTest, EndsWithAnyBytes) {
  std::string Bytes;
  for (unsigned I = 0; I != 256; ++I)
    Bytes += char(I);
  EXPECT_FALSE(kindsOf(Bytes + Bytes).empty());
}
