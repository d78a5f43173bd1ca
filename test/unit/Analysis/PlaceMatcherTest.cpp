// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of two versions of a program are the same.

#include "Analysis/Places/PlaceMatcher.h"
#include "gtest/gtest.h"

using namespace memkit;

namespace {

ComparedPlace line(const char *Function, const char *File, uint32_t Line,
                   const char *Text = "") {
  return {Function, File, {Line, Text}};
}

/// For each place before, the place after that is the same; -1: none.
std::vector<int> counterparts(std::vector<ComparedPlace> Before,
                              std::vector<ComparedPlace> After,
                              std::vector<LineCall> CallsBefore = {},
                              std::vector<LineCall> CallsAfter = {}) {
  PlaceMatcher M;
  std::vector<uint32_t> OfAfter = M.add(1, After, CallsAfter),
                        OfBefore = M.add(0, Before, CallsBefore);
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

TEST(PlaceMatcher, FunctionWithOtherParameters) {
  EXPECT_EQ(counterparts({line("int ns::f<int>(int)", "a.cpp", 3)},
                         {line("long ns::f<long>(long, bool)", "a.cpp", 4)}),
            (Ids{0}));
  // Of two overloads nobody knows which.
  EXPECT_EQ(
      counterparts({line("f(int)", "a.cpp", 3)},
                   {line("f(long)", "a.cpp", 4), line("f(char)", "a.cpp", 9)}),
      (Ids{-1}));
}

TEST(PlaceMatcher, FunctionOfACall) {
  const char *Call = "points = read(source);";
  std::vector<ComparedPlace> Before{line("main", "a.cpp", 30, Call),
                                    line("read", "a.cpp", 3, "p.push(x);")};
  auto After = [](const char *Text) {
    return std::vector<ComparedPlace>{
        line("main", "a.cpp", 33, Text),
        line("load", "b.cpp", 7, "track.reserve(left);")};
  };
  std::vector<LineCall> Calls{{0, 1}};
  EXPECT_EQ(counterparts(Before, After("points = load(source);"), Calls, Calls),
            (Ids{0, 1}));
  EXPECT_EQ(counterparts(Before, After("points = load(source);")),
            (Ids{0, -1}));
  // A line with other words, or without text, may call another function.
  EXPECT_EQ(counterparts(Before, After("n = load(all, 3);"), Calls, Calls),
            (Ids{0, -1}));
  EXPECT_EQ(counterparts(Before, After(""), Calls, Calls), (Ids{0, -1}));
  // A line that calls two new functions.
  std::vector<ComparedPlace> Two = After("points = load(parse(source));");
  Two.push_back(line("parse", "b.cpp", 20, "buffer.resize(n);"));
  EXPECT_EQ(counterparts(Before, Two, Calls, {{0, 1}, {0, 2}}), (Ids{0, -1}));
}

TEST(PlaceMatcher, FunctionsBelowACall) {
  // The functions of a new pair call others.
  auto Chain = [](const char *Name, const char *Call, const char *Inner,
                  const char *Text) {
    return std::vector<ComparedPlace>{
        line("main", "a.c", 30, "run(all, names);"),
        line(Name, "a.c", 10, Call), line(Inner, "a.c", 3, Text)};
  };
  std::vector<LineCall> Calls{{0, 1}, {1, 2}};
  EXPECT_EQ(counterparts(Chain("one", "x = grow(table, n);", "grow", "a = b;"),
                         Chain("two", "x = resize(table, n);", "resize", "c;"),
                         Calls, Calls),
            (Ids{0, 1, 2}));
}

TEST(PlaceMatcher, FunctionsThatBecameOne) {
  EXPECT_EQ(counterparts({line("main", "a.c", 30, "a = ints(people);"),
                          line("main", "a.c", 31, "b = floats(parcels);"),
                          line("ints", "a.c", 3, "t = new int[n];"),
                          line("floats", "a.c", 9, "u = new float[m];")},
                         {line("main", "a.c", 30, "a = make(people);"),
                          line("main", "a.c", 31, "b = make(parcels);"),
                          line("make", "a.c", 5, "return new double[n];")},
                         {{0, 2}, {1, 3}}, {{0, 2}, {1, 2}}),
            (Ids{0, 1, 2, 2}));
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
