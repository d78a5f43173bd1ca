// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search for a function's unwind record.

#include "TableBuilder.h"
#include "Unwind/Rule.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <elf.h>
#include <random>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::test;

namespace {

/// \p Count functions of 16 bytes, 32 bytes apart, with different CFAs.
TableSpec manyFunctions(unsigned Count) {
  TableSpec S;
  for (unsigned I = 0; I < Count; ++I)
    S.Functions.push_back(
        {I * 32, 16, {0x0e, uint8_t((I & 0x7f) | 0x80), uint8_t(I >> 7)}});
  return S;
}

void expectAll(const UnwindTables &T, unsigned Count) {
  for (unsigned I = 0; I < Count; ++I)
    for (uint32_t At : {0, 15, 16, 31}) {
      Rule R = compileRule(T.tables(), T.pc(I * 32 + At));
      ASSERT_EQ(int(R.Kind), int(At < 16 ? RuleKind::Sp : RuleKind::None));
      ASSERT_EQ(R.CfaOffset, At < 16 ? int32_t(I) : 0) << At;
    }
}

TEST(Record, FoundByTheTable) {
  for (unsigned Count : {1, 2, 3, 4, 5, 31, 32, 33, 1000}) {
    UnwindTables T(manyFunctions(Count));
    ASSERT_EQ(T.tables().TableSize, Count);
    expectAll(T, Count);
  }
}

TEST(Record, FoundByAScanWithoutATable) {
  TableSpec S = manyFunctions(100);
  S.WithTable = false;
  UnwindTables T(S);
  ASSERT_EQ(T.tables().TableSize, 0u);
  ASSERT_NE(T.tables().FirstRecord, 0u);
  expectAll(T, 100);
}

TEST(Record, FoundInATableThatIsNotSorted) {
  constexpr unsigned Count = 100;
  UnwindTables T(manyFunctions(Count));
  auto *Entries = reinterpret_cast<uint64_t *>(T.header() + 12);
  std::mt19937 Random(3);
  for (unsigned Round = 0; Round < 20; ++Round) {
    std::shuffle(Entries, Entries + Count, Random);
    expectAll(T, Count);
  }
  std::sort(Entries, Entries + Count,
            [](uint64_t A, uint64_t B) { return int32_t(A) > int32_t(B); });
  expectAll(T, Count);
}

TEST(Record, NeitherTableNorRecords) {
  TableSpec S = manyFunctions(3);
  S.WithTable = false;
  UnwindTables T(S);
  EXPECT_TRUE(T.cut(T.frameBytes(), T.headerBytes()).usable());
  T.header()[7] = 0x40; // the records are out of range
  EXPECT_FALSE(T.cut(T.frameBytes(), T.headerBytes()).usable());
  T.header()[0] = 2; // unknown version
  EXPECT_FALSE(T.cut(T.frameBytes(), T.headerBytes()).usable());
}

TEST(Record, OutsideOfTheText) {
  UnwindTables T(manyFunctions(4));
  EhFrame Tables = T.tables();
  Tables.Text.Start += 32;
  Tables.Text.End = Tables.Text.Start + 64;
  EXPECT_EQ(int(compileRule(Tables, T.pc(0)).Kind), int(RuleKind::None));
  EXPECT_EQ(int(compileRule(Tables, T.pc(32)).Kind), int(RuleKind::Sp));
  EXPECT_EQ(int(compileRule(Tables, T.pc(96)).Kind), int(RuleKind::None));
  EXPECT_EQ(int(compileRule(Tables, 0).Kind), int(RuleKind::None));
  EXPECT_EQ(int(compileRule(Tables, ~uintptr_t(0)).Kind), int(RuleKind::None));
}

TEST(Record, NothingOfNoTables) {
  EXPECT_EQ(int(compileRule(EhFrame(), 0x1000).Kind), int(RuleKind::None));
}

Rule ruleWith(const CommonSpec &C) {
  TableSpec S;
  S.Commons = {C};
  S.Functions = {{0x10, 16, {0x0e, 24}}};
  UnwindTables T(S);
  return compileRule(T.tables(), T.pc(0x18));
}

void expectFound(const CommonSpec &C, uint8_t Flags = 0) {
  Rule R = ruleWith(C);
  EXPECT_EQ(int(R.Kind), int(RuleKind::Sp));
  EXPECT_EQ(R.CfaOffset, 24);
  EXPECT_EQ(R.Flags, Flags);
}

void expectNone(const CommonSpec &C) {
  EXPECT_EQ(int(ruleWith(C).Kind), int(RuleKind::None));
}

TEST(Record, Versions) {
  for (uint8_t V : {1, 3, 4}) {
    CommonSpec C;
    C.Version = V;
    expectFound(C);
  }
  for (uint8_t V : {0, 2, 5, 255}) {
    CommonSpec C;
    C.Version = V;
    expectNone(C);
  }
}

TEST(Record, LengthsOf64Bits) {
  CommonSpec C;
  C.LongLength = true;
  expectFound(C);
}

TEST(Record, Augmentations) {
  CommonSpec C;
  C.Augmentation = "zPLR"; // with an indirect personality of 4 bytes
  C.AugmentationData = {0x9b, 1, 2, 3, 4, 0x1b, 0x1b};
  expectFound(C);
  C.AugmentationData = {0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b, 0x1b};
  expectFound(C);
  // An aligned pointer; where the builder puts the data, the pointer needs one
  // byte of padding.
  C.AugmentationData = {0x50, 9, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b, 0x1b};
  expectFound(C);
  C.Augmentation = "zRS";
  C.AugmentationData = {0x1b};
  expectFound(C, Rule::SignalFrame);
  C.Augmentation = "zR";
  C.AugmentationData = {0x1b, 9, 9, 9}; // more bytes than the letters need
  expectFound(C);
  C.Augmentation = "zX";
  expectNone(C);
  C.Augmentation = "zPR";
  C.AugmentationData = {0x9b, 1, 2}; // fewer bytes
  expectNone(C);
  C.Augmentation = "eh";
  expectNone(C);
}

TEST(Record, Encodings) {
  for (unsigned E : {0x00, 0x04, 0x0c, 0x10, 0x14, 0x1b, 0x13, 0x1c}) {
    CommonSpec C;
    C.Encoding = uint8_t(E);
    C.AugmentationData = {uint8_t(E)};
    expectFound(C);
  }
  CommonSpec Plain;
  Plain.Augmentation = "";
  Plain.Encoding = 0x00;
  expectFound(Plain);
  // Relative to an address that only the loader knows; indirect; omitted;
  // unknown format.
  for (unsigned E : {0x2b, 0x3b, 0x4b, 0x9b, 0xff, 0x05, 0x1f}) {
    CommonSpec C;
    C.AugmentationData = {uint8_t(E)};
    expectNone(C);
  }
}

TEST(Record, AnotherReturnColumn) {
  CommonSpec C;
  C.ReturnColumn = 17;
  expectNone(C);
}

//===----------------------------------------------------------------------===//
// Corrupt tables
//===----------------------------------------------------------------------===//

TEST(CorruptRecord, LoopsAndLies) {
  UnwindTables T(manyFunctions(3));
  auto Put = [&](uint8_t *At, uint32_t Value) {
    uint32_t Old;
    memcpy(&Old, At, 4);
    memcpy(At, &Value, 4);
    EXPECT_EQ(int(compileRule(T.tables(), T.pc(32)).Kind), int(RuleKind::None))
        << Value;
    memcpy(At, &Old, 4);
  };
  uint8_t *Second = T.header() + 12 + 8;
  int32_t Record;
  memcpy(&Record, Second + 4, 4);
  uint8_t *Fde = T.header() + Record;
  ASSERT_EQ(int(compileRule(T.tables(), T.pc(32)).Kind), int(RuleKind::Sp));
  for (uint32_t Length : {0u, 1u, 3u, 0x7fffffffu, 0xfffffffeu, 0xffffffffu})
    Put(Fde, Length);
  for (uint32_t Back : {0u, 1u, 4u, 0x7fffffffu, 0xffffffffu, 0x80000000u})
    Put(Fde + 4, Back);
  Put(Second + 4, 0x7fffffff);
  Put(Second + 4, 0x80000000);
  Put(Fde + 8, 0);        // "left out by the linker"
  Put(Fde + 12, 0);       // no bytes of code
  Put(T.frames(), 0);     // its CIE
  Put(T.frames() + 4, 1); // a CIE id of 1, so no CIE
}

TEST(CorruptRecord, CutAtEveryByte) {
  UnwindTables T(manyFunctions(5));
  for (size_t Cut = 0; Cut <= T.frameBytes(); ++Cut) {
    // In a separate copy the bytes after the cut are out of bounds.
    UnwindTables Copy(manyFunctions(5));
    EhFrame E = Copy.cut(Cut, Copy.headerBytes());
    for (unsigned I = 0; I < 5; ++I) {
      Rule R = compileRule(E, Copy.pc(I * 32));
      EXPECT_TRUE(R.Kind == RuleKind::None ||
                  (R.Kind == RuleKind::Sp && R.CfaOffset == int32_t(I)));
    }
  }
  for (size_t Cut = 0; Cut <= T.headerBytes(); ++Cut) {
    EhFrame E = T.cut(T.frameBytes(), Cut);
    for (unsigned I = 0; I < 5; ++I) {
      Rule R = compileRule(E, T.pc(I * 32));
      EXPECT_TRUE(R.Kind == RuleKind::None ||
                  (R.Kind == RuleKind::Sp && R.CfaOffset == int32_t(I)));
    }
  }
}

TEST(CorruptRecord, RandomDamage) {
  std::mt19937 Random(7);
  TableSpec S = manyFunctions(8);
  S.Commons.push_back(S.Commons[0]);
  S.Commons[1].Augmentation = "zPLR";
  S.Commons[1].AugmentationData = {0x9b, 1, 2, 3, 4, 0x1b, 0x1b};
  S.Functions[5].Common = 1;
  S.Functions[6].Program = {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0};
  UnwindTables T(S);
  const Bytes Good(T.frames(), T.frames() + T.frameBytes());
  const Bytes GoodHeader(T.header(), T.header() + T.headerBytes());
  auto Stack = [](const void *, uintptr_t A, void *To, size_t N) {
    memset(To, int(A >> 3), N);
    return true;
  };
  unsigned Different = 0;
  for (unsigned I = 0; I < 20000; ++I) {
    memcpy(T.frames(), Good.data(), Good.size());
    memcpy(T.header(), GoodHeader.data(), GoodHeader.size());
    for (unsigned N = Random() % 4 + 1; N; --N)
      if (Random() % 4)
        T.frames()[Random() % T.frameBytes()] = uint8_t(Random());
      else
        T.header()[Random() % T.headerBytes()] = uint8_t(Random());
    EhFrame E = T.cut(T.frameBytes(), T.headerBytes());
    for (unsigned F = 0; F < 8; ++F) {
      Rule R = compileRule(E, T.pc(F * 32 + 4));
      Different += R.Kind == RuleKind::None;
      Registers Regs;
      Regs.Known = 0x1ffff;
      Regs.ExactPc = true;
      Regs.set(Registers::Pc, T.pc(F * 32 + 4));
      StepResult Step = stepSlow(E, Regs, {Stack, nullptr});
      if (R.Kind == RuleKind::Sp) {
        EXPECT_EQ(int(Step), int(StepResult::Stepped));
      }
      if (R.Kind == RuleKind::None) {
        EXPECT_EQ(int(Step), int(StepResult::Failed));
      }
    }
  }
  EXPECT_GT(Different, 1000u); // some damage had an effect
}

TEST(CorruptRecord, ScansEnd) {
  // A record shorter than its length field would make an endless loop.
  TableSpec S = manyFunctions(3);
  S.WithTable = false;
  UnwindTables T(S);
  for (uint32_t Length : {0u, 1u, 2u, 3u}) {
    memcpy(T.frames(), &Length, 4);
    EXPECT_EQ(int(compileRule(T.tables(), T.pc(0)).Kind), int(RuleKind::None));
  }
}

//===----------------------------------------------------------------------===//
// Program headers
//===----------------------------------------------------------------------===//

Elf64_Phdr segment(uint32_t Type, uint32_t Flags, AddressRange R) {
  Elf64_Phdr P = {};
  P.p_type = Type;
  P.p_flags = Flags;
  P.p_vaddr = R.Start;
  P.p_filesz = P.p_memsz = R.End - R.Start;
  return P;
}

TEST(ProgramHeaders, OfABinary) {
  UnwindTables T(manyFunctions(3));
  AddressRange Frames{uintptr_t(T.frames()),
                      uintptr_t(T.frames()) + T.frameBytes()};
  AddressRange Header{uintptr_t(T.header()),
                      uintptr_t(T.header()) + T.headerBytes()};
  constexpr uintptr_t Bias = 0x10000;
  auto Less = [](AddressRange R) {
    return AddressRange{R.Start - Bias, R.End - Bias};
  };
  std::vector<Elf64_Phdr> P = {
      segment(PT_LOAD, PF_R, Less(Frames)),
      segment(PT_LOAD, PF_R, Less(Header)),
      segment(PT_LOAD, PF_R | PF_X, Less(T.tables().Text)),
      segment(PT_GNU_EH_FRAME, PF_R, Less(Header)),
  };
  EhFrame E;
  ASSERT_TRUE(findEhFrame(P.data(), P.size(), Bias, E));
  EXPECT_EQ(E.Text.Start, T.tables().Text.Start);
  EXPECT_EQ(E.Text.End, T.tables().Text.End);
  EXPECT_EQ(E.Frames.Start, Frames.Start);
  EXPECT_EQ(compileRule(E, T.pc(32)).CfaOffset, 1);

  EXPECT_FALSE(findEhFrame(P.data(), 3, Bias, E));
  EXPECT_FALSE(E.usable());
  EXPECT_FALSE(findEhFrame(nullptr, 0, Bias, E));
  // A header outside all segments is not read.
  P[3].p_vaddr = 0x1000;
  EXPECT_FALSE(findEhFrame(P.data(), P.size(), Bias, E));
  P[3] = segment(PT_GNU_EH_FRAME, PF_R, Less(Header));
  P[1].p_flags = 0;
  EXPECT_FALSE(findEhFrame(P.data(), P.size(), Bias, E));
  P[1].p_flags = PF_R;
  P[3].p_filesz += 1;
  EXPECT_FALSE(findEhFrame(P.data(), P.size(), Bias, E));
}

TEST(ProgramHeaders, OfABinaryWithoutEhFrameHdr) {
  UnwindTables T(manyFunctions(3));
  AddressRange Frames{uintptr_t(T.frames()),
                      uintptr_t(T.frames()) + T.frameBytes()};
  constexpr uintptr_t Bias = 0x10000;
  auto Less = [](AddressRange R) {
    return AddressRange{R.Start - Bias, R.End - Bias};
  };
  std::vector<Elf64_Phdr> P = {
      segment(PT_LOAD, PF_R, Less(Frames)),
      segment(PT_LOAD, PF_R | PF_X, Less(T.tables().Text)),
  };
  EhFrame E;
  ASSERT_TRUE(findEhFrame(P.data(), P.size(), Bias, Frames, E));
  EXPECT_EQ(E.TableSize, 0u);
  for (unsigned I = 0; I < 3; ++I)
    EXPECT_EQ(compileRule(E, T.pc(I * 32)).CfaOffset, int32_t(I));
  EXPECT_EQ(int(compileRule(E, T.pc(16)).Kind), int(RuleKind::None));
  // A range without memory, or a range beyond the memory.
  EXPECT_FALSE(findEhFrame(P.data(), P.size(), Bias, AddressRange(), E));
  EXPECT_FALSE(E.usable());
  for (AddressRange Bad :
       {AddressRange{Frames.Start, Frames.End + 1},
        AddressRange{Frames.Start - 1, Frames.End},
        AddressRange{Frames.Start, Frames.Start},
        AddressRange{Frames.End, Frames.Start}, AddressRange{Bias, Bias + 8}})
    EXPECT_FALSE(findEhFrame(P.data(), P.size(), Bias, Bad, E));
  P[0].p_flags = 0;
  EXPECT_FALSE(findEhFrame(P.data(), P.size(), Bias, Frames, E));
}

} // namespace
