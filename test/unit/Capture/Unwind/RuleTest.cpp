// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unwind rules from hand-made tables.

#include "Stacks/RecentRules.h"
#include "TableBuilder.h"

#include "gtest/gtest.h"
#include <algorithm>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::test;

namespace {

constexpr uint8_t Saved = Rule::FpSaved;

/// The tables of a function at 0x1000 with \p Program.
UnwindTables oneFunction(Bytes Program, CommonSpec C = {},
                         uint32_t Size = 0x100) {
  TableSpec S;
  S.Commons = {std::move(C)};
  S.Functions = {{0x1000, Size, std::move(Program)}};
  return UnwindTables(S);
}

/// The rule at byte \p At of a function with \p Program.
Rule ruleAt(uint32_t At, Bytes Program, CommonSpec C = {}) {
  UnwindTables T = oneFunction(std::move(Program), std::move(C), 0x1000000);
  return compileRule(T.tables(), T.pc(0x1000 + At));
}

Rule sp(int32_t Offset) { return {RuleKind::Sp, 0, 0, Offset}; }
Rule spSaved(int32_t Offset, int16_t Slot) {
  return {RuleKind::Sp, Saved, Slot, Offset};
}
Rule fp(int32_t Offset) { return {RuleKind::Fp, 0, 0, Offset}; }
const Rule Slow{RuleKind::Slow};
const Rule None{RuleKind::None};

CommonSpec signalFrame() {
  CommonSpec C;
  C.Augmentation = "zRS";
  return C;
}

void expectRule(const Rule &Got, const Rule &Wanted) {
  EXPECT_EQ(int(Got.Kind), int(Wanted.Kind));
  EXPECT_EQ(Got.Flags, Wanted.Flags);
  EXPECT_EQ(Got.FpSlot, Wanted.FpSlot);
  EXPECT_EQ(Got.CfaOffset, Wanted.CfaOffset);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

TEST(Rule, OfTheCommonRecord) {
  expectRule(ruleAt(0, {}), sp(8));
  expectRule(ruleAt(0xff, {}), sp(8));
}

TEST(Rule, PushMovLeave) {
  const Bytes P = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x44, 0x0c, 7, 8};
  expectRule(ruleAt(0, P), sp(8));
  expectRule(ruleAt(1, P), spSaved(16, -2));
  expectRule(ruleAt(3, P), spSaved(16, -2));
  expectRule(ruleAt(4, P), {RuleKind::Fp, Saved, -2, 16});
  expectRule(ruleAt(7, P), {RuleKind::Fp, Saved, -2, 16});
  expectRule(ruleAt(8, P), spSaved(8, -2));
}

TEST(Rule, AdvancesOfEverySize) {
  expectRule(ruleAt(0x3e, {0x7f, 0x0e, 16}), sp(8));
  expectRule(ruleAt(0x3f, {0x7f, 0x0e, 16}), sp(16));
  expectRule(ruleAt(0xfd, {0x02, 0xfe, 0x0e, 16}), sp(8));
  expectRule(ruleAt(0xfe, {0x02, 0xfe, 0x0e, 16}), sp(16));
  expectRule(ruleAt(0x101, {0x03, 2, 1, 0x0e, 16}), sp(8));
  expectRule(ruleAt(0x102, {0x03, 2, 1, 0x0e, 16}), sp(16));
  expectRule(ruleAt(0x10001, {0x04, 2, 0, 1, 0, 0x0e, 16}), sp(8));
  expectRule(ruleAt(0x10002, {0x04, 2, 0, 1, 0, 0x0e, 16}), sp(16));
  const Bytes Eight = {0x1d, 2, 0, 1, 0, 0, 0, 0, 0, 0x0e, 16};
  expectRule(ruleAt(0x10001, Eight), sp(8));
  expectRule(ruleAt(0x10002, Eight), sp(16));
}

TEST(Rule, AdvancesInUnitsOfCode) {
  CommonSpec C;
  C.CodeAlign = 4;
  expectRule(ruleAt(7, {0x42, 0x0e, 16}, C), sp(8));
  expectRule(ruleAt(8, {0x42, 0x0e, 16}, C), sp(16));
}

TEST(Rule, SetLoc) {
  CommonSpec C;
  C.AugmentationData = {0x00};
  C.Encoding = 0x00;
  UnwindTables T = oneFunction({0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e, 16}, C);
  uint64_t At = T.pc(0x1010);
  uint8_t *Operand = T.frames() + T.frameBytes() - 4 - 16 + 5;
  while (Operand[-1] != 0x01) // padding
    --Operand;
  memcpy(Operand, &At, 8);
  expectRule(compileRule(T.tables(), T.pc(0x100f)), sp(8));
  expectRule(compileRule(T.tables(), T.pc(0x1010)), sp(16));
}

TEST(Rule, CfaInEveryForm) {
  expectRule(ruleAt(0, {0x0c, 6, 16}), fp(16));
  expectRule(ruleAt(0, {0x0d, 6}), fp(8));
  expectRule(ruleAt(0, {0x0e, 0x80, 0x02}), sp(256));
  expectRule(ruleAt(0, {0x12, 6, 0x7e}), fp(16)); // -2 units of -8
  expectRule(ruleAt(0, {0x13, 0x7d}), sp(24));    // -3 units
  expectRule(ruleAt(0, {0x13, 3}), sp(-24));
  expectRule(ruleAt(0, {0x0e, 0xff, 0xff, 0xff, 0xff, 0x07}), sp(0x7fffffff));
  expectRule(ruleAt(0, {0x0e, 0x80, 0x80, 0x80, 0x80, 0x08}), Slow);
  expectRule(ruleAt(0, {0x0c, 10, 0}), Slow);
  expectRule(ruleAt(0, {0x0c, 0x80, 1, 0}), Slow);
}

TEST(Rule, FpInEveryForm) {
  expectRule(ruleAt(0, {0x86, 2}), spSaved(8, -2));
  expectRule(ruleAt(0, {0x05, 6, 3}), spSaved(8, -3));
  expectRule(ruleAt(0, {0x11, 6, 0x7f}), spSaved(8, 1));
  expectRule(ruleAt(0, {0x2f, 6, 1}), spSaved(8, 1));
  expectRule(ruleAt(0, {0x86, 2, 0x08, 6}), sp(8)); // same value
  expectRule(ruleAt(0, {0x86, 2, 0x07, 6}), sp(8)); // undefined, as libgcc
  expectRule(ruleAt(0, {0x86, 2, 0xc6}), sp(8));
  expectRule(ruleAt(0, {0x86, 2, 0x06, 6}), sp(8));
  expectRule(ruleAt(0, {0x09, 6, 3}), Slow);
  expectRule(ruleAt(0, {0x14, 6, 2}), Slow);
  expectRule(ruleAt(0, {0x15, 6, 2}), Slow);
  expectRule(ruleAt(0, {0x10, 6, 2, 0x76, 0x70}), Slow);
  expectRule(ruleAt(0, {0x16, 6, 2, 0x76, 0x70}), Slow);
}

TEST(Rule, FpSlotsThatDoNotFit) {
  expectRule(ruleAt(0, {0x05, 6, 0x80, 0x80, 0x02}), spSaved(8, -32768));
  expectRule(ruleAt(0, {0x05, 6, 0x81, 0x80, 0x02}), Slow);
  CommonSpec Odd;
  Odd.DataAlign = 0x7c; // -4
  Odd.Program = {0x0c, 7, 8, 0x90, 2};
  expectRule(ruleAt(0, {0x86, 4}, Odd), spSaved(8, -2));
  expectRule(ruleAt(0, {0x86, 3}, Odd), Slow);
}

TEST(Rule, RestoreIsToTheCommonRecordsRow) {
  CommonSpec C;
  C.Program = {0x0c, 7, 8, 0x90, 1, 0x86, 5};
  expectRule(ruleAt(0, {0x86, 2, 0xc6}, C), spSaved(8, -5));
}

TEST(Rule, OtherRegistersDoNotMatter) {
  expectRule(
      ruleAt(0, {0x83, 2,    0x8c, 3,    0x05, 15,   4,    0x07, 0,    0x09,
                 1,    2,    0x14, 3,    1,    0x10, 12,   1,    0x30, 0x16,
                 13,   1,    0x30, 0xc3, 0x06, 12,   0x08, 14,   0x2f, 15,
                 1,    0xbf, 1,    0x05, 0xff, 0x01, 1}),
      sp(8));
}

TEST(Rule, ReturnAddressElsewhere) {
  expectRule(ruleAt(0, {0x07, 16}), {RuleKind::End});
  expectRule(ruleAt(0, {0x90, 2}), Slow);
  expectRule(ruleAt(0, {0x09, 16, 3}), Slow);
  expectRule(ruleAt(0, {0x08, 16}), Slow);
}

TEST(Rule, StackPointerElsewhere) {
  expectRule(ruleAt(0, {0x14, 7, 0}), sp(8)); // equal to the default
  expectRule(ruleAt(0, {0x14, 7, 1}), Slow);
  expectRule(ruleAt(0, {0x87, 2}), Slow);
  expectRule(ruleAt(0, {0x08, 7}), sp(8));
}

TEST(Rule, RememberedRows) {
  const Bytes P = {0x41, 0x0e, 16,   0x86, 2,    0x0a, 0x41, 0x0c,
                   6,    32,   0xc6, 0x41, 0x0b, 0x41, 0x0e, 8};
  expectRule(ruleAt(1, P), spSaved(16, -2));
  expectRule(ruleAt(2, P), fp(32));
  expectRule(ruleAt(3, P), spSaved(16, -2));
  expectRule(ruleAt(4, P), spSaved(8, -2));
}

TEST(Rule, RememberedRowsNest) {
  Bytes P;
  for (uint8_t I = 1; I <= 16; ++I)
    P.insert(P.end(), {0x0e, uint8_t(I * 4), 0x0a});
  P.insert(P.end(), {0x0e, 0});
  for (unsigned I = 0; I < 16; ++I)
    P.insert(P.end(), {0x41, 0x0b});
  expectRule(ruleAt(0, P), sp(0));
  expectRule(ruleAt(1, P), sp(64));
  expectRule(ruleAt(16, P), sp(4));
  expectRule(ruleAt(0, {0x0b}), None);
  expectRule(ruleAt(0, Bytes(17, 0x0a)), None);
}

TEST(Rule, ArgumentsSizeIsNothing) {
  expectRule(ruleAt(0, {0x2e, 0x90, 0x01, 0x0e, 16}), sp(16));
}

TEST(Rule, Realigned) {
  const Bytes P = {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0};
  expectRule(ruleAt(0, P), {RuleKind::Realigned, 0, 0, -8});
  const Bytes Far = {0x0f, 4, 0x76, 0x90, 0x7e, 0x06, 0x10, 6, 2, 0x76, 0};
  expectRule(ruleAt(0, Far), {RuleKind::Realigned, 0, 0, -240});
}

TEST(Rule, NearlyRealigned) {
  // Without the dereference; from another register; with more after the
  // expression.
  expectRule(ruleAt(0, {0x0f, 2, 0x76, 0x78, 0x10, 6, 2, 0x76, 0}), Slow);
  expectRule(ruleAt(0, {0x0f, 3, 0x73, 0x78, 0x06, 0x10, 6, 2, 0x76, 0}), Slow);
  expectRule(ruleAt(0, {0x0f, 4, 0x76, 0x78, 0x06, 0x96, 0x10, 6, 2, 0x76, 0}),
             Slow);
  // rbp saved elsewhere, or as a value.
  expectRule(ruleAt(0, {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 8}), Slow);
  expectRule(ruleAt(0, {0x0f, 3, 0x76, 0x78, 0x06, 0x16, 6, 2, 0x76, 0}), Slow);
  expectRule(ruleAt(0, {0x0f, 3, 0x76, 0x78, 0x06}), Slow);
}

const Bytes SignalProgram = {0x0f, 4,  0x77, 0xa0, 0x01, 0x06,  // CFA
                             0x10, 6,  3,    0x77, 0xf8, 0x00,  // rbp
                             0x10, 7,  3,    0x77, 0xa0, 0x01,  // rsp
                             0x10, 16, 3,    0x77, 0xa8, 0x01}; // pc

TEST(Rule, Signal) {
  expectRule(ruleAt(0, SignalProgram, signalFrame()),
             {RuleKind::Signal, Rule::SignalFrame, 0, 0});
  expectRule(ruleAt(0, SignalProgram), Slow); // without the mark
  Bytes Elsewhere = SignalProgram;
  Elsewhere[10] = 0xf0;
  expectRule(ruleAt(0, Elsewhere, signalFrame()),
             {RuleKind::Slow, Rule::SignalFrame, 0, 0});
}

TEST(Rule, SignalFramesOfOtherKinds) {
  expectRule(ruleAt(0, {}, signalFrame()),
             {RuleKind::Sp, Rule::SignalFrame, 0, 8});
  expectRule(ruleAt(0, {0x07, 16}, signalFrame()),
             {RuleKind::End, Rule::SignalFrame, 0, 0});
}

//===----------------------------------------------------------------------===//
// Instructions that make no sense
//===----------------------------------------------------------------------===//

TEST(Rule, UnknownInstructions) {
  for (unsigned Op : {0x17, 0x1c, 0x1e, 0x2d, 0x30, 0x31, 0x3f})
    expectRule(ruleAt(0, {uint8_t(Op), 0, 0, 0}), None);
  // Instructions for code after the pc do not matter.
  expectRule(ruleAt(0, {0x41, 0x17}), sp(8));
}

TEST(Rule, CutOperands) {
  // The program's length leaves no room for padding.
  for (Bytes Op : {Bytes{0x0e, 0x80}, Bytes{0x04, 1, 2}, Bytes{0x0f, 9, 1},
                   Bytes{0x10, 6, 0xff, 0xff}, Bytes{0x86, 0xff}}) {
    Bytes P(7 - Op.size(), 0);
    P.insert(P.end(), Op.begin(), Op.end());
    expectRule(ruleAt(0, P), None);
  }
}

TEST(Rule, CfaOfNothing) {
  CommonSpec C;
  C.Program = {0x90, 1};
  expectRule(ruleAt(0, {}, C), None);
  expectRule(ruleAt(0, {0x0e, 16}, C), None);
  expectRule(ruleAt(0, {0x0d, 7}, C), sp(0));
  expectRule(ruleAt(0, {0x0f, 1, 0x77, 0x0e, 16}), None);
  expectRule(ruleAt(0, {0x0f, 1, 0x77, 0x0d, 6}), fp(0));
  expectRule(ruleAt(0, {0x0c, 0xff, 0xff, 0xff, 0xff, 0x7f, 8}), None);
}

TEST(Rule, ProgramsWithoutEndAreNotRun) {
  expectRule(ruleAt(0, Bytes(1u << 19, 0)), sp(8));
  expectRule(ruleAt(0, Bytes((1u << 20) + 64, 0)), None);
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

TEST(RuleRange, IsTheRowsAtLeast) {
  UnwindTables T =
      oneFunction({0x44, 0x0e, 16, 0x50, 0x0e, 32, 0x02, 0x20, 0x0e, 8});
  auto Check = [&](uint32_t At, uint32_t Start, uint32_t End) {
    AddressRange Same;
    Rule R = compileRule(T.tables(), T.pc(At), Same);
    EXPECT_EQ(Same.Start, T.pc(Start));
    EXPECT_EQ(Same.End, T.pc(End));
    for (uintptr_t Pc = Same.Start; Pc < Same.End; ++Pc)
      expectRule(compileRule(T.tables(), Pc), R);
  };
  Check(0x1000, 0x1000, 0x1004);
  Check(0x1003, 0x1000, 0x1004);
  Check(0x1004, 0x1004, 0x1014);
  Check(0x1020, 0x1014, 0x1034);
  Check(0x10ff, 0x1034, 0x1100);
}

TEST(RuleRange, IsEmptyWithoutARule) {
  UnwindTables T = oneFunction({0x17});
  AddressRange Same{1, 2};
  expectRule(compileRule(T.tables(), T.pc(0x1000), Same), None);
  EXPECT_EQ(Same.Start, Same.End);
  Same = {1, 2};
  expectRule(compileRule(T.tables(), T.pc(0x2000), Same), None);
  EXPECT_EQ(Same.Start, Same.End);
}

//===----------------------------------------------------------------------===//
// Where the last run stopped
//===----------------------------------------------------------------------===//

/// Rows at 0, 4, 8 (an epilogue), 9, 0xc; the row of 9 is that of 4.
static const Bytes WithEpilogue = {0x44, 0x0e, 16,   0x44, 0x0a, 0x0e,
                                   8,    0x41, 0x0b, 0x43, 0x0e, 64};

TEST(RuleCursor, GivesTheSameRulesInAnyOrder) {
  UnwindTables T = oneFunction(WithEpilogue);
  uint32_t Order = 1;
  CfaCursors Known;
  for (unsigned I = 0; I != 1000; ++I) {
    Order = Order * 1664525 + 1013904223;
    uintptr_t Pc = T.pc(0x1000 + (Order >> 24) % 20);
    AddressRange Same, Fresh;
    expectRule(compileRule(T.tables(), Pc, Same, &Known),
               compileRule(T.tables(), Pc, Fresh));
    EXPECT_EQ(Same.Start, Fresh.Start);
    EXPECT_EQ(Same.End, Fresh.End);
  }
}

TEST(RuleCursor, IsForgottenWithTheCode) {
  UnwindTables T = oneFunction(WithEpilogue);
  CfaCursors Known;
  AddressRange Same;
  expectRule(compileRule(T.tables(), T.pc(0x1020), Same, &Known), sp(64));
  // Another binary is loaded at the same place.
  uint8_t *End = T.frames() + T.frameBytes();
  uint8_t *At =
      std::search(T.frames(), End, WithEpilogue.begin(), WithEpilogue.end());
  ASSERT_NE(At, End);
  At[2] = 24;
  std::fill(At + 3, At + WithEpilogue.size(), 0);
  Known.clear();
  expectRule(compileRule(T.tables(), T.pc(0x1020), Same, &Known), sp(24));
}

TEST(RecentRules, KeepsTheLastEight) {
  RecentRules Recent;
  for (uint32_t I = 0; I < 9; ++I)
    Recent.add({I * 16 + 16, I * 16 + 24}, sp(int32_t(I)));
  EXPECT_EQ(int(Recent.find(16).Kind), int(RuleKind::Empty));
  for (uint32_t I = 1; I < 9; ++I) {
    expectRule(Recent.find(I * 16 + 16), sp(int32_t(I)));
    expectRule(Recent.find(I * 16 + 23), sp(int32_t(I)));
    EXPECT_EQ(int(Recent.find(I * 16 + 24).Kind), int(RuleKind::Empty));
  }
  Recent.add({}, sp(1));
  EXPECT_EQ(int(Recent.find(0).Kind), int(RuleKind::Empty));
  Recent.clear();
  EXPECT_EQ(int(Recent.find(32).Kind), int(RuleKind::Empty));
}

} // namespace
