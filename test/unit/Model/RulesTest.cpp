// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns and rules.

#include "memkit/Model/Rules.h"
#include "gtest/gtest.h"

using namespace memkit;

TEST(Patterns, Match) {
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
  for (const auto &C : Cases) {
    EXPECT_EQ(matchPattern(C.Pattern, C.Text), C.Matches)
        << C.Pattern << " on " << C.Text;
    PatternList L;
    L.add(C.Pattern, 7);
    EXPECT_EQ(L.find(C.Text).value_or(0), C.Matches ? 7u : 0u)
        << C.Pattern << " on " << C.Text;
  }
}

TEST(Patterns, FirstOfList) {
  PatternList L;
  unsigned Number = 0;
  for (const char *P : {"^abc$", "b*d", "^ab", "^abc", "^*z", "^a*c$"})
    L.add(P, ++Number);
  EXPECT_EQ(L.find("abc"), 1u);
  EXPECT_EQ(L.find("abcd"), 2u);
  EXPECT_EQ(L.find("abce"), 3u);
  EXPECT_EQ(L.find("axc"), 6u);
  EXPECT_EQ(L.find("yz"), 5u);
  EXPECT_EQ(L.find("x"), std::nullopt);
}

static std::string errorOf(llvm::StringRef Text) {
  Rules R;
  return llvm::toString(R.parse(Text, "f"));
}

TEST(Rules, Errors) {
  const char *Kinds =
      "kinds: fold, keep, own, library, leak, change, category, owner, "
      "pool, forwards";
  EXPECT_EQ(errorOf("# comment\n\nleak:a\r\n  leak: b c \n"), "");
  EXPECT_EQ(errorOf("leak:x\nrace:y\n"),
            std::string("f:2: 'race:y' is not of the form KIND:PATTERN; ") +
                Kinds);
  EXPECT_EQ(errorOf("fold"),
            std::string("f:1: 'fold' is not of the form KIND:PATTERN; ") +
                Kinds);
  EXPECT_EQ(errorOf("fold(h):x"),
            std::string("f:1: 'fold(h):x' is not of the form KIND:PATTERN; ") +
                Kinds);
  EXPECT_EQ(errorOf("leak:"), "f:1: 'leak:' has no pattern");
  EXPECT_EQ(errorOf("own:file="), "f:1: 'own:file=' has no pattern");
  EXPECT_EQ(errorOf("category:x"),
            "f:1: 'category:x' is not of the form category:PATTERN => NAME");
}

TEST(Rules, FirstRuleCounts) {
  Rules R;
  ASSERT_EQ(llvm::toString(R.parse("keep:^std::sort\n"
                                   "own:file=/vendor/mine/\n"
                                   "category:^parse => parser\n"
                                   "leak:function=^keeps$\n",
                                   "f")),
            "");
  R.addOwn("/opt/app/*.py");
  R.addBuiltIn();
  EXPECT_FALSE(R.functionRole("std::sort(int*, int*)").IsFolded);
  EXPECT_TRUE(R.functionRole("std::vector<int>::push_back(int)").IsFolded);
  // The return type of a template is not its name.
  EXPECT_TRUE(R.functionRole("void std::f<int>(int)").IsFolded);
  for (const char *Own :
       {"std::vector<int, std::allocator<int>> makeAll<int>(unsigned long)",
        "std::shared_ptr<N> (anonymous namespace)::make<N>(N (*)(int))",
        "std::string operator+ <char>(char, A)"})
    EXPECT_FALSE(R.functionRole(Own).IsFolded) << Own;
  EXPECT_TRUE(R.functionRole("operator new(unsigned long)").IsFolded);
  EXPECT_TRUE(R.functionRole("ns::T std::f<int>(int) [clone .cold]").IsFolded);
  EXPECT_TRUE(R.functionRole("xmalloc [clone .isra.0]").IsFolded);
  EXPECT_FALSE(R.functionRole("void f<std::string>(std::string)").IsFolded);
  EXPECT_TRUE(R.functionRole("xmalloc.isra.0").IsFolded);
  EXPECT_EQ(R.isOwnFile("/src/vendor/mine/a.c"), true);
  EXPECT_EQ(R.isOwnFile("/src/vendor/other/a.c"), false);
  EXPECT_EQ(R.isOwnBinary("/src/vendor/mine/a.so"), false);
  EXPECT_EQ(R.isOwnFile("/opt/app/x/y.py"), true);
  EXPECT_EQ(R.isOwnFile("/opt/app/x"), std::nullopt);
  EXPECT_EQ(R.category({"parse_line", "", ""}), "parser");
  EXPECT_EQ(R.category({"", "", "/usr/lib/libstdc++.so.6"}), "C++ runtime");
  EXPECT_EQ(R.category({"main", "", "/bin/x"}), "");
  ASSERT_TRUE(R.leaks()[0].IsUsers);
  EXPECT_EQ(R.leaks()[0].Pattern, "function=^keeps$");
  EXPECT_FALSE(R.leaks()[1].IsUsers);
}
