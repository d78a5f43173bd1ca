// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of mappings.

#include "Sources/MapTable.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace memkit;
using wire::MapClass;

namespace {

/// Logs the events, and checks that they are consistent.
struct Events : MapEvents {
  std::map<uint64_t, uint64_t> Live; ///< allocation id -> size
  uint64_t Next = 0;
  std::string Text;

  LiveEntry allocate(MapClass Class, uint64_t Size) override {
    Text += "a" + std::to_string(Next) + ":" + std::to_string(Size) + "/" +
            std::to_string(int(Class)) + " ";
    return make(Size);
  }
  void free(const LiveEntry &B) override {
    Text += "f" + std::to_string(B.AllocationId) + " ";
    EXPECT_EQ(B.Size, Live.at(B.AllocationId));
    Live.erase(B.AllocationId);
  }
  void resize(LiveEntry &B, uint64_t Size) override {
    Text +=
        "r" + std::to_string(B.AllocationId) + ":" + std::to_string(Size) + " ";
    B.Size = Live.at(B.AllocationId) = Size;
  }
  LiveEntry split(LiveEntry &B, uint64_t Size) override {
    Text +=
        "s" + std::to_string(B.AllocationId) + ":" + std::to_string(Size) + " ";
    uint64_t Rest = Live.at(B.AllocationId) - Size;
    EXPECT_GT(Size, 0u);
    EXPECT_LT(Size, Live.at(B.AllocationId));
    B.Size = Live.at(B.AllocationId) = Size;
    return make(Rest);
  }
  void leave(const LiveEntry &B, uint64_t Begin, uint64_t End) override {
    EXPECT_LT(Begin, End);
    EXPECT_LT(End - Begin, Live.at(B.AllocationId));
  }
  LiveEntry make(uint64_t Size) {
    Live[Next] = Size;
    return {Next++, Size, 0, 0, 0};
  }
  std::string take() { return std::exchange(Text, ""); }
};

struct MapTableTest : testing::Test {
  MapTable T;
  Events E;
  uint64_t Tsc = 0;
  void map(uint64_t Begin, uint64_t End, MapClass C = MapClass::Used) {
    T.map({Begin, End}, C, ++Tsc, true, E);
  }
  bool unmap(uint64_t Begin, uint64_t End) {
    return T.unmap({Begin, End}, ++Tsc, E);
  }
};

/// mremap with an empty old range makes a second mapping.
TEST_F(MapTableTest, EmptyRanges) {
  map(100, 200);
  EXPECT_FALSE(unmap(150, 150));
  T.protect({150, 150}, MapClass::Reserved, ++Tsc, E);
  EXPECT_EQ("a0:100/0 ", E.take());
  T.remap({150, 150}, {300, 400}, MapClass::Used, false, Tsc, Tsc + 1, E);
  T.remap({200, 200}, {200, 250}, MapClass::Used, false, Tsc, Tsc + 1, E);
  EXPECT_EQ("a1:100/0 a2:50/0 ", E.take());
}

TEST_F(MapTableTest, AHoleIsSplitSplitFree) {
  map(100, 200);
  EXPECT_TRUE(unmap(120, 150));
  EXPECT_EQ("a0:100/0 s0:20 s1:30 f1 ", E.take());
  EXPECT_FALSE(unmap(120, 150));
  EXPECT_TRUE(unmap(0, 1000));
  EXPECT_EQ("f0 f2 ", E.take());
  EXPECT_EQ(0u, T.size());
}

TEST_F(MapTableTest, LaterBlocksStay) {
  map(100, 200);
  T.map({100, 150}, MapClass::Used, 10, true, E);
  E.take();
  // The unmap's clock is before the clock of the second mapping.
  EXPECT_TRUE(T.unmap({100, 200}, 5, E));
  EXPECT_EQ("f1 ", E.take());
  EXPECT_NE(nullptr, T.find(100));
  EXPECT_EQ(nullptr, T.find(150));
}

TEST_F(MapTableTest, ARemapSparesWhatTookItsPlace) {
  map(100, 200);
  uint64_t Begin = ++Tsc;
  map(150, 200); // by another thread, after the kernel freed the range
  E.take();
  T.remap({100, 200}, {500, 600}, MapClass::Used, false, Begin, ++Tsc, E);
  EXPECT_EQ("f0 a3:100/0 ", E.take());
  EXPECT_EQ(2u, T.find(150)->Entry.AllocationId);
}

TEST_F(MapTableTest, RemapInPlace) {
  map(100, 200);
  E.take();
  auto Remap = [&](uint64_t Begin, uint64_t End, uint64_t NewEnd) {
    uint64_t Before = ++Tsc;
    T.remap({Begin, End}, {Begin, NewEnd}, MapClass::Used, false, Before, ++Tsc,
            E);
    return E.take();
  };
  EXPECT_EQ("r0:50 ", Remap(100, 200, 150));
  EXPECT_EQ("", Remap(100, 150, 150));
  EXPECT_EQ("r0:80 ", Remap(120, 150, 180)); // the mapping's end grows
  EXPECT_EQ("r0:40 ", Remap(120, 180, 140)); // and shrinks
  map(140, 160);
  E.take();
  EXPECT_EQ("f1 ", Remap(120, 160, 140));      // covers two mappings
  EXPECT_EQ("a2:50/0 ", Remap(300, 310, 350)); // an unknown mapping
}

TEST_F(MapTableTest, ProtectMovesPartsToTheOtherClass) {
  map(0, 1000, MapClass::Reserved);
  T.protect({100, 200}, MapClass::Used, ++Tsc, E);
  EXPECT_EQ("a0:1000/1 s0:100 s1:100 f1 a3:100/0 ", E.take());
  T.protect({150, 250}, MapClass::Used, ++Tsc, E);
  EXPECT_EQ("s2:50 f2 a5:50/0 ", E.take());
  T.protect({0, 1000}, MapClass::Reserved, ++Tsc, E);
  EXPECT_EQ("f3 a6:100/1 f5 a7:50/1 ", E.take());
  map(2000, 2100, MapClass::File);
  E.take();
  T.protect({2000, 2100}, MapClass::Reserved, ++Tsc, E);
  EXPECT_EQ("", E.take());
}

/// Compared with a table of single units.
TEST(MapTableRandom, AgreesWithAModel) {
  constexpr uint64_t Units = 300;
  std::mt19937 Random(5);
  MapTable T;
  Events E;
  std::vector<int> Model(Units, -1); // class, -1: no mapping
  uint64_t Tsc = 0;
  for (int Step = 0; Step != 20000; ++Step) {
    uint64_t A = Random() % Units, B = A + 1 + Random() % 40;
    B = std::min(B, Units);
    MapTable::MapRange R{A, B};
    switch (Random() % 5) {
    case 0:
    case 1: {
      MapClass C = MapClass(Random() % 3);
      T.map(R, C, ++Tsc, true, E);
      std::fill(Model.begin() + A, Model.begin() + B, int(C));
      break;
    }
    case 2:
      T.unmap(R, ++Tsc, E);
      std::fill(Model.begin() + A, Model.begin() + B, -1);
      break;
    case 3: {
      int To = Random() % 2;
      T.protect(R, MapClass(To), ++Tsc, E);
      for (uint64_t I = A; I != B; ++I)
        Model[I] = Model[I] == 1 - To ? To : Model[I];
      break;
    }
    case 4: { // a move within one class
      uint64_t To = Random() % Units;
      if (To + (B - A) > Units || To == A || Model[A] < 0)
        break;
      MapClass C = MapClass(Model[A]);
      uint64_t Before = ++Tsc;
      T.remap(R, {To, To + (B - A)}, C, false, Before, ++Tsc, E);
      std::fill(Model.begin() + A, Model.begin() + B, -1);
      std::fill(Model.begin() + To, Model.begin() + To + (B - A), int(C));
      break;
    }
    }
    uint64_t Sum = 0;
    for (uint64_t I = 0; I != Units; ++I) {
      const MapTable::MapBlock *Found = T.find(I);
      ASSERT_EQ(Model[I], Found ? int(Found->Class) : -1) << Step << " " << I;
      const MapTable::MapBlock *Outer = T.enclosing(I);
      ASSERT_EQ(Model[I] == 0 ? Found : nullptr, Outer) << Step << " " << I;
      Sum += Found != nullptr;
    }
    for (auto &[AllocationId, Size] : E.Live)
      Sum -= Size;
    ASSERT_EQ(0u, Sum);
    ASSERT_EQ(E.Live.size(), T.size());
    E.Text.clear();
  }
}

} // namespace
