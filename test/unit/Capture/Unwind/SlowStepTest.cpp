// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact unwind step.

#include "TableBuilder.h"
#include "Unwind/DwarfExpression.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <array>
#include <initializer_list>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::test;

namespace {

/// Words at 0x8000; word I is 0xab00 + I.
class FakeStack {
public:
  FakeStack() {
    for (unsigned I = 0; I < 64; ++I)
      Words[I] = 0xab00 + I;
  }
  StackReader reader() const { return {read, this}; }
  uint64_t Words[64];

private:
  static bool read(const void *Context, uintptr_t Address, void *To,
                   size_t Bytes) {
    auto *S = static_cast<const FakeStack *>(Context);
    if (Address < 0x8000 || Address + Bytes > 0x8000 + sizeof(S->Words))
      return false;
    memcpy(To, reinterpret_cast<const char *>(S->Words) + (Address - 0x8000),
           Bytes);
    return true;
  }
};

/// All registers known: register I is 0x100 + I, rsp 0x8040, rbp 0x8080.
Registers someRegisters() {
  Registers R;
  for (unsigned I = 0; I < Registers::Count; ++I)
    R.set(I, 0x100 + I);
  R.set(Registers::Sp, 0x8040);
  R.set(Registers::Fp, 0x8080);
  R.ExactPc = true;
  return R;
}

/// A step from byte 16 of a function with \p Program.
struct StepTest {
  explicit StepTest(Bytes Program, CommonSpec C = {})
      : Tables(spec(std::move(Program), std::move(C))), Regs(someRegisters()) {
    Regs.set(Registers::Pc, Tables.pc(0x1010));
  }
  static TableSpec spec(Bytes Program, CommonSpec C) {
    TableSpec S;
    S.Commons = {std::move(C)};
    S.Functions = {{0x1000, 0x100, std::move(Program)}};
    return S;
  }
  StepResult step() { return stepSlow(Tables.tables(), Regs, Stack.reader()); }
  uint64_t operator[](unsigned I) const { return Regs.Values[I]; }

  UnwindTables Tables;
  FakeStack Stack;
  Registers Regs;
};

void expectStepped(StepTest &T) {
  EXPECT_EQ(int(T.step()), int(StepResult::Stepped));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

TEST(SlowStep, Call) {
  StepTest T({0x0e, 16, 0x83, 2});
  expectStepped(T);
  EXPECT_EQ(T[Registers::Sp], 0x8050u);
  EXPECT_EQ(T[Registers::Pc], 0xab09u);
  EXPECT_EQ(T[3], 0xab08u);
  EXPECT_EQ(T[Registers::Fp], 0x8080u);
  EXPECT_EQ(T[12], 0x10cu);
  EXPECT_FALSE(T.Regs.ExactPc);
  EXPECT_EQ(T.Regs.Known, 0x1ffffu);
}

TEST(SlowStep, ReturnAddressesAreLookedUpInTheCall) {
  StepTest T({0x50, 0x0e, 16}); // a row that starts at byte 16
  expectStepped(T);
  EXPECT_EQ(T[Registers::Sp], 0x8050u);
  StepTest Called({0x50, 0x0e, 16});
  Called.Regs.ExactPc = false;
  expectStepped(Called);
  EXPECT_EQ(Called[Registers::Sp], 0x8048u);
}

TEST(SlowStep, SignalFramesGiveExactPcs) {
  CommonSpec C;
  C.Augmentation = "zRS";
  StepTest T({}, C);
  expectStepped(T);
  EXPECT_TRUE(T.Regs.ExactPc);
}

TEST(SlowStep, EveryWhere) {
  StepTest T({
      0x0c, 6,  16,               // CFA = rbp + 16 = 0x8090
      0x86, 2,                    // rbp = [CFA - 16]
      0x09, 3,  12,               // rbx = r12
      0x07, 0,                    // rax: undefined
      0x08, 1,                    // rdx: same
      0x14, 12, 3,                // r12 = CFA - 24
      0x15, 13, 0x7f,             // r13 = CFA + 8
      0x10, 14, 2,    0x23, 0x08, // r14 = [CFA + 8]
      0x16, 15, 2,    0x23, 0x20, // r15 = CFA + 32
      0x11, 8,  0x7e,             // r8 = [CFA + 16]
      0x2f, 9,  3,                // r9 = [CFA + 24]
  });
  expectStepped(T);
  EXPECT_EQ(T[Registers::Sp], 0x8090u);
  EXPECT_EQ(T[Registers::Fp], 0xab10u);
  EXPECT_EQ(T[Registers::Pc], 0xab11u);
  EXPECT_EQ(T[3], 0x10cu);
  EXPECT_EQ(T[0], 0x100u);
  EXPECT_EQ(T[1], 0x101u);
  EXPECT_EQ(T[12], 0x8078u);
  EXPECT_EQ(T[13], 0x8098u);
  EXPECT_EQ(T[14], 0xab13u);
  EXPECT_EQ(T[15], 0x80b0u);
  EXPECT_EQ(T[8], 0xab14u);
  EXPECT_EQ(T[9], 0xab15u);
}

TEST(SlowStep, CfaByAnyRegister) {
  StepTest T({0x0c, 10, 8});
  T.Regs.set(10, 0x8010);
  expectStepped(T);
  EXPECT_EQ(T[Registers::Sp], 0x8018u);
  EXPECT_EQ(T[Registers::Pc], 0xab02u);
}

TEST(SlowStep, StackPointerElsewhere) {
  StepTest Saved({0x87, 3});
  expectStepped(Saved);
  EXPECT_EQ(Saved[Registers::Sp], 0xab06u);
  StepTest Same({0x08, 7});
  expectStepped(Same);
  EXPECT_EQ(Same[Registers::Sp], 0x8048u);
}

TEST(SlowStep, ProcedureLinkage) {
  // As linkers write the rule: 8 bytes more from byte 11 of an entry on.
  const Bytes Plt = {0x0f, 11,   0x77, 8,    0x80, 0,   0x3f,
                     0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
  for (unsigned Byte = 0; Byte < 16; ++Byte) {
    StepTest T(Plt);
    uintptr_t Entry = (T.Tables.pc(0x1000) + 15) & ~uintptr_t(15);
    T.Regs.set(Registers::Pc, Entry + Byte);
    expectStepped(T);
    EXPECT_EQ(T[Registers::Sp], Byte >= 11 ? 0x8050u : 0x8048u) << Byte;
  }
}

TEST(SlowStep, End) {
  StepTest T({0x07, 16});
  Registers Before = T.Regs;
  EXPECT_EQ(int(T.step()), int(StepResult::End));
  EXPECT_EQ(memcmp(&Before, &T.Regs, sizeof(Before)), 0);
}

//===----------------------------------------------------------------------===//
// Unknown registers
//===----------------------------------------------------------------------===//

TEST(SlowStep, UnknownRegistersStayUnknown) {
  StepTest T({0x09, 3, 12, 0x16, 13, 2, 0x7e, 0});
  T.Regs.Known &= ~(1u << 12 | 1u << 14 | 1u << 8);
  expectStepped(T);
  EXPECT_EQ(T.Regs.Known,
            0x1ffffu & ~(1u << 12 | 1u << 14 | 1u << 8 | 1u << 3 | 1u << 13));
}

TEST(SlowStep, UnknownRegisterThatIsNeeded) {
  for (Bytes Program : {Bytes{0x0c, 10, 8}, Bytes{0x0f, 2, 0x7a, 8},
                        Bytes{0x0f, 3, 0x92, 10, 8}, Bytes{0x09, 16, 10}}) {
    StepTest T(Program);
    T.Regs.Known &= ~(1u << 10);
    Registers Before = T.Regs;
    EXPECT_EQ(int(T.step()), int(StepResult::Unknown));
    EXPECT_EQ(memcmp(&Before, &T.Regs, sizeof(Before)), 0);
  }
}

TEST(SlowStep, MemoryThatCannotBeRead) {
  StepTest T({0x0e, 0x80, 0x80, 0x04});
  Registers Before = T.Regs;
  EXPECT_EQ(int(T.step()), int(StepResult::Failed));
  EXPECT_EQ(memcmp(&Before, &T.Regs, sizeof(Before)), 0);
  // A register that no rule needs becomes unknown.
  StepTest Other({0x83, 0x80, 0x40});
  expectStepped(Other);
  EXPECT_FALSE(Other.Regs.knows(3));
  EXPECT_TRUE(Other.Regs.knows(12));
}

TEST(SlowStep, NoSuchRegister) {
  StepTest Cfa({0x0c, 17, 8});
  EXPECT_EQ(int(Cfa.step()), int(StepResult::Failed));
  StepTest Return({0x09, 16, 17});
  EXPECT_EQ(int(Return.step()), int(StepResult::Failed));
}

TEST(SlowStep, ReturnAddressNowhere) {
  StepTest T({0x08, 16});
  EXPECT_EQ(int(T.step()), int(StepResult::Failed));
}

TEST(SlowStep, NoTables) {
  StepTest T({});
  T.Regs.set(Registers::Pc, T.Tables.pc(0x2000));
  EXPECT_EQ(int(T.step()), int(StepResult::Failed));
  StepTest Corrupt({0x17});
  EXPECT_EQ(int(Corrupt.step()), int(StepResult::Failed));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

StepResult run(const Bytes &Program, uint64_t &Value,
               const uint64_t *First = nullptr) {
  GuardedBytes Exact(Program.size());
  std::copy(Program.begin(), Program.end(), Exact.data());
  FakeStack Stack;
  Registers Regs = someRegisters();
  return evaluate({Exact.data(), uint32_t(Program.size())},
                  {Regs, Stack.reader()}, First, Value);
}

void expectValue(const Bytes &Program, uint64_t Wanted) {
  uint64_t Value = 0;
  EXPECT_EQ(int(run(Program, Value)), int(StepResult::Stepped));
  EXPECT_EQ(Value, Wanted) << "operation " << std::hex << int(Program.back());
}

void expectFails(const Bytes &Program) {
  uint64_t Value = 0;
  EXPECT_EQ(int(run(Program, Value)), int(StepResult::Failed));
}

TEST(Expression, Constants) {
  for (uint8_t I = 0; I < 32; ++I)
    expectValue({uint8_t(0x30 + I)}, I);
  expectValue({0x03, 1, 2, 3, 4, 5, 6, 7, 0x88}, 0x8807060504030201);
  expectValue({0x08, 0xff}, 0xff);
  expectValue({0x09, 0xff}, uint64_t(-1));
  expectValue({0x0a, 0xfe, 0xff}, 0xfffe);
  expectValue({0x0b, 0xfe, 0xff}, uint64_t(-2));
  expectValue({0x0c, 0xfd, 0xff, 0xff, 0xff}, 0xfffffffd);
  expectValue({0x0d, 0xfd, 0xff, 0xff, 0xff}, uint64_t(-3));
  expectValue({0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80}, 0x8000000000000001);
  expectValue({0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80}, 0x8000000000000001);
  expectValue({0x10, 0xe5, 0x8e, 0x26}, 624485);
  expectValue({0x11, 0xc0, 0xbb, 0x78}, uint64_t(-123456));
  expectValue({0x11, 0x3f}, 63);
  expectValue({0x11, 0x40}, uint64_t(-64));
  Bytes Min(11, 0x80);
  Min.front() = 0x11;
  Min.back() = 0x7f;
  expectValue(Min, uint64_t(1) << 63);
}

TEST(Expression, NumbersOfMoreThan64Bits) {
  Bytes Long(11, 0x80);
  Long.insert(Long.begin(), 0x10);
  Long.back() = 0x01;
  expectValue(Long, 0);
  Bytes All(10, 0xff);
  All.insert(All.begin(), 0x10);
  All.back() = 0x7f;
  expectValue(All, ~uint64_t(0));
}

TEST(Expression, RegistersAndMemory) {
  expectValue({0x53}, 0x103);
  expectValue({0x90, 12}, 0x10c);
  expectValue({0x73, 0x7f}, 0x102);
  expectValue({0x92, 12, 4}, 0x110);
  expectValue({0x77, 0, 0x06}, 0xab08);
  expectValue({0x77, 1, 0x94, 1}, 0xab);
  expectValue({0x77, 0, 0x94, 2}, 0xab08);
  expectValue({0x77, 0, 0x94, 4}, 0xab08);
  expectValue({0x77, 0, 0x94, 8}, 0xab08);
  expectFails({0x30, 0x06});
  for (uint8_t Size : {0, 3, 5, 9, 16, 255})
    expectFails({0x77, 0, 0x94, Size});
  expectFails({0x61 + 1}); // register 18
  expectFails({0x92, 0x80, 1, 0});
}

TEST(Expression, Arrangement) {
  expectValue({0x33, 0x12, 0x1c}, 0);          // dup
  expectValue({0x33, 0x34, 0x13}, 3);          // drop
  expectValue({0x33, 0x34, 0x14}, 3);          // over
  expectValue({0x33, 0x34, 0x35, 0x15, 2}, 3); // pick
  expectValue({0x33, 0x34, 0x16}, 3);          // swap
  expectValue({0x33, 0x34, 0x16, 0x1c}, 1);    // 4 - 3
  expectValue({0x33, 0x34, 0x35, 0x17}, 4);    // rot: 5 3 4
  expectValue({0x33, 0x34, 0x35, 0x17, 0x13}, 3);
  expectValue({0x33, 0x34, 0x35, 0x17, 0x13, 0x13}, 5);
}

TEST(Expression, Arithmetic) {
  auto Two = [](int8_t A, int8_t B, uint8_t Op, int64_t Wanted) {
    expectValue({0x09, uint8_t(A), 0x09, uint8_t(B), Op}, uint64_t(Wanted));
  };
  expectValue({0x09, 0xfd, 0x19}, 3); // abs
  expectValue({0x33, 0x19}, 3);
  expectValue({0x33, 0x1f}, uint64_t(-3));    // neg
  expectValue({0x33, 0x20}, ~uint64_t(3));    // not
  expectValue({0x33, 0x23, 0x80, 0x01}, 131); // plus_uconst
  Two(12, 10, 0x1a, 8);
  Two(-7, 2, 0x1b, -3);
  Two(-7, -1, 0x1b, 7);
  Two(7, 9, 0x1c, -2);
  Two(17, 5, 0x1d, 2);
  Two(-3, 5, 0x1e, -15);
  Two(12, 10, 0x21, 14);
  Two(-3, 5, 0x22, 2);
  Two(3, 4, 0x24, 48);
  Two(3, 64, 0x24, 0);
  Two(-1, 60, 0x25, 15);
  Two(-1, 64, 0x25, 0);
  Two(-16, 2, 0x26, -4);
  Two(-16, 64, 0x26, -1);
  Two(12, 10, 0x27, 6);
  // The smallest number divided by -1 overflows.
  expectValue({0x0f, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b},
              0x8000000000000000);
  expectFails({0x31, 0x30, 0x1b});
  expectFails({0x31, 0x30, 0x1d});
}

TEST(Expression, Comparisons) {
  // -1 compared with 1; 1 compared with 1.
  const std::initializer_list<std::array<unsigned, 3>> Cases = {
      {0x29, 0, 1}, {0x2a, 0, 1}, {0x2b, 0, 0},
      {0x2c, 1, 1}, {0x2d, 1, 0}, {0x2e, 1, 0}};
  for (auto [Op, Less, Equal] : Cases) {
    expectValue({0x09, 0xff, 0x31, uint8_t(Op)}, Less);
    expectValue({0x31, 0x31, uint8_t(Op)}, Equal);
  }
}

TEST(Expression, Jumps) {
  expectValue({0x2f, 1, 0, 0x31, 0x32}, 2);       // over lit1
  expectValue({0x33, 0x30, 0x28, 1, 0, 0x34}, 4); // not taken
  expectValue({0x33, 0x31, 0x28, 1, 0, 0x34}, 3);
  // From 5 down to 0: lit5; lit1; minus; dup; bra -6.
  expectValue({0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff}, 0);
  expectValue({0x33, 0x96}, 3);          // nop
  expectFails({0x31, 0x2f, 1, 0});       // after the end
  expectFails({0x31, 0x2f, 0xfb, 0xff}); // before the start
  expectFails({0x2f, 0xfd, 0xff});       // itself, for ever
}

TEST(Expression, JumpsStayWithin) {
  // The bytes before would give 5 if run: lit5; lit0; bra -5.
  const Bytes Program = {0x35, 0x30, 0x28, 0xfb, 0xff};
  const uint64_t First = 1;
  auto Run = [&](unsigned From) {
    FakeStack Stack;
    Registers Regs = someRegisters();
    uint64_t Value = 0;
    return evaluate({Program.data() + From, 5 - From}, {Regs, Stack.reader()},
                    &First, Value);
  };
  EXPECT_EQ(int(Run(2)), int(StepResult::Failed));
  EXPECT_EQ(int(Run(0)), int(StepResult::Stepped));
}

TEST(Expression, EncodedAddresses) {
  expectValue({0xf1, 0x03, 1, 2, 3, 4}, 0x04030201);
  expectFails({0xf1, 0x80, 1, 2, 3, 4, 5, 6, 7, 8});
  expectFails({0xf1, 0x23, 1, 2, 3, 4});
}

TEST(Expression, StartsWithTheCfa) {
  uint64_t Cfa = 0x1234, Value = 0;
  EXPECT_EQ(int(run({0x23, 1}, Value, &Cfa)), int(StepResult::Stepped));
  EXPECT_EQ(Value, 0x1235u);
}

TEST(Expression, TooMuchOrTooLittle) {
  expectFails({});
  for (uint8_t Op : {0x06, 0x12, 0x13, 0x14, 0x16, 0x17, 0x19, 0x1a, 0x1c, 0x22,
                     0x23, 0x28, 0x29})
    expectFails({Op, 0, 0});
  for (uint8_t Op : {0x16, 0x17, 0x14, 0x1a, 0x22, 0x2e})
    expectFails({0x31, Op});
  expectFails({0x31, 0x13});    // the stack is empty
  expectFails({0x31, 0x15, 1}); // no second entry
  expectFails(Bytes(65, 0x31));
  expectValue(Bytes(64, 0x31), 1);
  for (Bytes Cut : {Bytes{0x08}, Bytes{0x0c, 1, 2, 3}, Bytes{0x10, 0x80},
                    Bytes{0x03, 1}, Bytes{0x77}, Bytes{0x2f, 0}})
    expectFails(Cut);
  for (uint8_t Op : {0x00, 0x18, 0x91, 0x93, 0x95, 0x97, 0x9c, 0xe0, 0xff})
    expectFails({0x31, 0x31, Op});
}

} // namespace
