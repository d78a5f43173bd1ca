// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of two versions of a program are the same.

#include "Analysis/PlaceMatcher.h"
#include "gtest/gtest.h"

using namespace memkit;

namespace {

ComparedPlace line(const char *Function, const char *File, uint32_t Line,
                   const char *Text = "") {
  return {Function, File, {Line, Text}};
}

/// For each place before, the place after that is the same; -1: none.
std::vector<int> counterparts(std::vector<ComparedPlace> Before,
                              std::vector<ComparedPlace> After) {
  PlaceMatcher M;
  std::vector<uint32_t> OfAfter = M.add(1, After), OfBefore = M.add(0, Before);
  std::vector<int> Out;
  for (uint32_t Number : OfBefore) {
    auto At = std::find(OfAfter.begin(), OfAfter.end(), Number);
    Out.push_back(At == OfAfter.end() ? -1 : int(At - OfAfter.begin()));
  }
  return Out;
}

using Ids = std::vector<int>;

TEST(PlaceMatcher, FunctionInAnotherFile) {
  // By the name, with and without texts.
  EXPECT_EQ(counterparts({line("f", "a.c", 3), line("g", "a.c", 9)},
                         {line("f", "b.c", 40), line("g", "a.c", 8)}),
            (Ids{0, 1}));
  // A name in two other files, without a text, is nobody.
  EXPECT_EQ(counterparts({line("f", "a.c", 3)},
                         {line("f", "b.c", 3), line("f", "c.c", 3)}),
            (Ids{-1}));
  EXPECT_EQ(counterparts({line("f", "a.c", 3, "x = malloc(10);")},
                         {line("f", "b.c", 3, "y = calloc(3, 4);"),
                          line("f", "c.c", 3, "  x = malloc(10);")}),
            (Ids{1}));
}

TEST(PlaceMatcher, FunctionWithAnotherName) {
  const char *Reserve = "out.reserve(names.size());";
  // A namespace, a class, a lambda.
  for (const char *Name : {"search::load", "Index::load", "read",
                           "read()::'lambda'()::operator()"})
    EXPECT_EQ(counterparts({line("load", "a.cpp", 3, Reserve),
                            line("load", "a.cpp", 4, "sort(a, b, c);")},
                           {line(Name, "a.cpp", 9, Reserve),
                            line(Name, "a.cpp", 12, "sort(a, b, d);")}),
              (Ids{0, 1}))
        << Name;
  // Of two with the text, the one with the same name.
  EXPECT_EQ(counterparts({line("load", "a.cpp", 3, Reserve)},
                         {line("Names::save", "a.cpp", 1, "save(out);"),
                          line("Names::load", "a.cpp", 5, Reserve)}),
            (Ids{1}));
  // Another text, or one of few letters, is no reason.
  EXPECT_EQ(counterparts({line("load", "a.cpp", 3, Reserve)},
                         {line("read", "a.cpp", 3, "out.reserve(10);")}),
            (Ids{-1}));
  EXPECT_EQ(counterparts({line("load", "a.cpp", 3, "f(x);")},
                         {line("read", "a.cpp", 3, "f(x);")}),
            (Ids{-1}));
}

TEST(PlaceMatcher, LineInAnotherFunction) {
  const char *New = "entry = new Entry(name);";
  EXPECT_EQ(counterparts({line("fill", "a.cpp", 3, "cache.reserve(100);"),
                          line("fill", "a.cpp", 4, New)},
                         {line("fill", "a.cpp", 3, "cache.reserve(100);"),
                          line("newEntry", "a.cpp", 9, New)}),
            (Ids{0, 1}));
  // Two of them: nobody knows which.
  EXPECT_EQ(counterparts({line("fill", "a.cpp", 3, "cache.reserve(100);"),
                          line("fill", "a.cpp", 4, New)},
                         {line("fill", "a.cpp", 3, "cache.reserve(100);"),
                          line("one", "a.cpp", 9, New),
                          line("two", "a.cpp", 19, New)}),
            (Ids{0, -1}));
}

TEST(PlaceMatcher, ChangedLines) {
  // Of more lines than before, those that are most alike, in their order.
  EXPECT_EQ(
      counterparts({line("f", "a.py", 3, "mean = np.mean(all, dtype=f4)")},
                   {line("f", "a.py", 2, "sizes = [len(x) for x in all]"),
                    line("f", "a.py", 3, "mean = np.mean(all, dtype=f8)")}),
      (Ids{1}));
  EXPECT_EQ(counterparts({line("f", "a.py", 3, "mean = np.mean(all)")},
                         {line("f", "a.py", 2, "sizes = [1, 2]"),
                          line("f", "a.py", 3, "names = load(path)")}),
            (Ids{-1}));
}

TEST(PlaceMatcher, WhatIsNoLineIsOne) {
  EXPECT_EQ(
      counterparts({line("import numpy", "", 0)},
                   {line("import torch", "", 0), line("import numpy", "", 0)}),
      (Ids{1}));
  // Several functions of a binary without symbols count as one.
  PlaceMatcher M;
  std::vector<uint32_t> After =
      M.add(1, {{line("libx.so", "", 0), line("libx.so", "", 0)}});
  EXPECT_EQ(After[0], After[1]);
  EXPECT_EQ(M.add(0, {line("libx.so", "", 0)})[0], After[0]);
}

TEST(PlaceMatcher, ThreeRuns) {
  PlaceMatcher M;
  uint32_t Last = M.add(2, {line("f", "b.c", 9)})[0];
  uint32_t Middle = M.add(1, {line("f", "a.c", 4)})[0];
  uint32_t First = M.add(0, {line("f", "a.c", 3)})[0];
  EXPECT_EQ(Last, Middle);
  EXPECT_EQ(Last, First);
  std::vector<SharedPlace> All = M.byNumber();
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Run, 2u);
}

} // namespace
