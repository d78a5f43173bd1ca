// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader of perf maps.

#include "Symbolize/PerfMap.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace memkit;

namespace {

std::string nameOf(StringRef Map, uint64_t Address) {
  PerfMapScan Scan(Address);
  EXPECT_TRUE(Scan.feed(Map));
  return Scan.name(0);
}

TEST(PerfMap, FindsAddresses) {
  StringRef Map = "1000 10 first\n"
                  "0x2000 0x20 second one, with spaces \n"
                  "ffffffffffff0000 ff third\r\n"
                  "7fABcDeF0000 8 Fourth\n";
  EXPECT_EQ(nameOf(Map, 0xfff), "");
  EXPECT_EQ(nameOf(Map, 0x1000), "first");
  EXPECT_EQ(nameOf(Map, 0x100f), "first");
  EXPECT_EQ(nameOf(Map, 0x1010), "");
  EXPECT_EQ(nameOf(Map, 0x201f), "second one, with spaces ");
  EXPECT_EQ(nameOf(Map, 0xffffffffffff0001), "third");
  EXPECT_EQ(nameOf(Map, 0x7fabcdef0007), "Fourth");
}

TEST(PerfMap, TheLastOneCounts) {
  StringRef Map = "1000 100 old\n1040 10 inner\n1000 20 new\n";
  EXPECT_EQ(nameOf(Map, 0x1010), "new");
  EXPECT_EQ(nameOf(Map, 0x1030), "old");
  EXPECT_EQ(nameOf(Map, 0x1044), "inner");
}

TEST(PerfMap, BadLines) {
  for (StringRef Bad :
       {"", " ", "1000", "1000 10", "1000 10 ", " 1000 10 a", "1000 0 a",
        "1000 -10 a", "x 10 a", "1000 y a", "1000  a", "0x 10 a",
        "1000 ffffffffffffffff a", "10000000000000000 10 a", "1000\t10\ta"}) {
    EXPECT_EQ(nameOf((Bad + "\n").str(), 0x1000), "") << Bad.str();
    EXPECT_EQ(nameOf((Bad + "\n1000 10 good\n").str(), 0x1000), "good")
        << Bad.str();
  }
}

TEST(PerfMap, ALineThatIsBeingWrittenDoesNotCount) {
  EXPECT_EQ(nameOf("1000 10 half", 0x1000), "");
  EXPECT_EQ(nameOf("1000 10 whole\n1000 10 ha", 0x1000), "whole");
}

TEST(PerfMap, PiecesOfAnySize) {
  StringRef Map = "1000 10 first\n2000 10 second\n3000 10 third\n";
  const uint64_t Addresses[] = {0x1001, 0x2002, 0x3003};
  for (size_t Size = 1; Size <= Map.size(); ++Size) {
    PerfMapScan Scan(Addresses);
    for (StringRef Rest = Map; !Rest.empty();
         Rest = Rest.drop_front(std::min(Size, Rest.size())))
      EXPECT_TRUE(Scan.feed(Rest.take_front(Size)));
    EXPECT_EQ(Scan.name(0), "first");
    EXPECT_EQ(Scan.name(1), "second");
    EXPECT_EQ(Scan.name(2), "third");
  }
}

TEST(PerfMap, NamesAreCleanAndShort) {
  std::string Long(100000, 'x');
  EXPECT_EQ(nameOf("1000 10 " + Long + "\n1100 10 b\n", 0x1000).size(),
            PerfMapScan::MaxNameBytes);
  // The long line's rest is no line of its own.
  EXPECT_EQ(nameOf("1000 10 " + Long + "\n1100 10 b\n", 0x1100), "b");
  PerfMapScan Scan(uint64_t(0x1000));
  Scan.feed("1000 10 ");
  for (unsigned I = 0; I != 100; ++I)
    Scan.feed(Long);
  Scan.feed("\n");
  EXPECT_EQ(Scan.name(0).size(), PerfMapScan::MaxNameBytes);
  EXPECT_EQ(nameOf("1000 10 a\x1b[31m\tb\n", 0x1000), "a?[31m?b");
  EXPECT_TRUE(json::isUTF8(nameOf("1000 10 \xff\xfe ok\n", 0x1000)));
}

TEST(PerfMap, AHostileMapEnds) {
  std::vector<uint64_t> Addresses(65536);
  for (size_t I = 0; I != Addresses.size(); ++I)
    Addresses[I] = I + 1;
  PerfMapScan Scan(Addresses);
  unsigned Lines = 0;
  while (Lines != 100000 && Scan.feed("0 ffffff all\n"))
    ++Lines;
  EXPECT_LT(Lines, 100u);
  EXPECT_EQ(Scan.name(0), "all");
}

TEST(PerfMap, RandomBytes) {
  std::mt19937 Random(1);
  const char Letters[] = "0123456789abcdefx \n\r\t\0\xff";
  const uint64_t Addresses[] = {0, 1, 0x10, 0x100, ~0ull};
  for (unsigned Round = 0; Round != 2000; ++Round) {
    PerfMapScan Scan(Addresses);
    for (unsigned Piece = 0; Piece != 4; ++Piece) {
      std::string Bytes(Random() % 100, 0);
      for (char &C : Bytes)
        C = Letters[Random() % sizeof(Letters)];
      Scan.feed(Bytes);
    }
    for (size_t I = 0; I != 5; ++I)
      EXPECT_TRUE(json::isUTF8(Scan.name(I)));
  }
}

} // namespace
