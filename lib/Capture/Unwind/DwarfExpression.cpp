// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of unwind tables.

#include "DwarfExpression.h"

using namespace memkit;
using namespace memkit::capture;

/// DW_OP_*.
namespace {
namespace op {
enum : uint8_t {
  Addr = 0x03,
  Deref = 0x06,
  Const1u = 0x08,
  Const1s = 0x09,
  Const2u = 0x0a,
  Const2s = 0x0b,
  Const4u = 0x0c,
  Const4s = 0x0d,
  Const8u = 0x0e,
  Const8s = 0x0f,
  Constu = 0x10,
  Consts = 0x11,
  Dup = 0x12,
  Drop = 0x13,
  Over = 0x14,
  Pick = 0x15,
  Swap = 0x16,
  Rot = 0x17,
  Abs = 0x19,
  And = 0x1a,
  Div = 0x1b,
  Minus = 0x1c,
  Mod = 0x1d,
  Mul = 0x1e,
  Neg = 0x1f,
  Not = 0x20,
  Or = 0x21,
  Plus = 0x22,
  PlusUconst = 0x23,
  Shl = 0x24,
  Shr = 0x25,
  Shra = 0x26,
  Xor = 0x27,
  Bra = 0x28,
  Eq = 0x29,
  Ge = 0x2a,
  Gt = 0x2b,
  Le = 0x2c,
  Lt = 0x2d,
  Ne = 0x2e,
  Skip = 0x2f,
  Lit0 = 0x30,
  Lit31 = 0x4f,
  Reg0 = 0x50,
  Reg31 = 0x6f,
  Breg0 = 0x70,
  Breg31 = 0x8f,
  Regx = 0x90,
  Bregx = 0x92,
  DerefSize = 0x94,
  Nop = 0x96,
  GnuEncodedAddr = 0xf1,
};
} // namespace op

class ExpressionEvaluator {
public:
  ExpressionEvaluator(ByteSpan Expression, const ExpressionInput &In)
      : Start(Expression.Start), End(Expression.Start + Expression.Size),
        R(Start, End), In(In) {}

  StepResult run(const uint64_t *First, uint64_t &Value);

private:
  static constexpr unsigned StackSize = 64;
  static constexpr unsigned MaxOperations = 4096;

  void execute(uint8_t Op);
  void constant(uint8_t Op);
  void arrange(uint8_t Op);
  void jump(bool Taken);
  void unary(uint8_t Op);
  void binary(uint8_t Op);
  uint64_t divide(uint64_t A, uint64_t B, bool Remainder);
  void deref(unsigned Bytes);

  uint64_t reg(uint64_t I) {
    if (In.Regs.knows(I < Registers::Count ? unsigned(I) : Registers::Count))
      return In.Regs.Values[I];
    Result = I < Registers::Count ? StepResult::Unknown : StepResult::Failed;
    return 0;
  }
  void push(uint64_t V) {
    if (Depth == StackSize)
      fail();
    else
      Stack[Depth++] = V;
  }
  /// The \p I-th word from the top.
  uint64_t &top(unsigned I = 0) {
    if (I < Depth)
      return Stack[Depth - 1 - I];
    fail();
    return Scratch = 0;
  }
  uint64_t pop() {
    uint64_t V = top();
    Depth -= Depth != 0;
    return V;
  }
  void fail() { Result = StepResult::Failed; }

  const uint8_t *const Start, *const End;
  DwarfReader R;
  const ExpressionInput &In;
  StepResult Result = StepResult::Stepped;
  unsigned Depth = 0;
  uint64_t Scratch = 0;
  uint64_t Stack[StackSize];
};
} // namespace

StepResult ExpressionEvaluator::run(const uint64_t *First, uint64_t &Value) {
  if (First)
    push(*First);
  for (unsigned I = 0; !R.done(); ++I) {
    if (I == MaxOperations)
      return StepResult::Failed;
    execute(R.byte());
    if (Result != StepResult::Stepped)
      return Result;
  }
  Value = top();
  return R.ok() ? Result : StepResult::Failed;
}

void ExpressionEvaluator::execute(uint8_t Op) {
  if (Op >= op::Lit0 && Op <= op::Lit31)
    return push(Op - op::Lit0);
  if (Op >= op::Reg0 && Op <= op::Reg31)
    return push(reg(Op - op::Reg0));
  if (Op >= op::Breg0 && Op <= op::Breg31)
    return push(reg(Op - op::Breg0) + uint64_t(R.sleb()));
  if (Op >= op::Const1u && Op <= op::Consts)
    return constant(Op);
  if (Op >= op::Dup && Op <= op::Rot)
    return arrange(Op);
  switch (Op) {
  case op::Addr:
    return push(R.u64());
  case op::Deref:
    return deref(8);
  case op::DerefSize:
    return deref(R.byte());
  case op::Regx:
    return push(reg(R.uleb()));
  case op::Bregx: {
    uint64_t Base = reg(R.uleb());
    return push(Base + uint64_t(R.sleb()));
  }
  case op::PlusUconst:
    top() += R.uleb();
    return;
  case op::Abs:
  case op::Neg:
  case op::Not:
    return unary(Op);
  case op::Skip:
    return jump(true);
  case op::Bra:
    return jump(pop() != 0);
  case op::Nop:
    return;
  case op::GnuEncodedAddr: {
    uint8_t Encoding = R.byte();
    if (Encoding & PointerEncoding::Indirect)
      return fail();
    return push(R.pointer(Encoding));
  }
  default:
    return binary(Op);
  }
}

void ExpressionEvaluator::constant(uint8_t Op) {
  switch (Op) {
  case op::Const1u:
    return push(R.byte());
  case op::Const1s:
    return push(uint64_t(int64_t(R.fixed<int8_t>())));
  case op::Const2u:
    return push(R.u16());
  case op::Const2s:
    return push(uint64_t(int64_t(R.fixed<int16_t>())));
  case op::Const4u:
    return push(R.u32());
  case op::Const4s:
    return push(uint64_t(int64_t(R.fixed<int32_t>())));
  case op::Const8u:
  case op::Const8s:
    return push(R.u64());
  case op::Constu:
    return push(R.uleb());
  default:
    return push(uint64_t(R.sleb()));
  }
}

void ExpressionEvaluator::arrange(uint8_t Op) {
  switch (Op) {
  case op::Dup:
    return push(top());
  case op::Drop:
    pop();
    return;
  case op::Over:
    return push(top(1));
  case op::Pick:
    return push(top(R.byte()));
  case op::Swap: {
    uint64_t A = top(), B = top(1);
    top() = B;
    top(1) = A;
    return;
  }
  default: { // Rotates three words: the second becomes the top, the top becomes
             // the third.
    uint64_t A = top(), B = top(1), C = top(2);
    top() = B;
    top(1) = C;
    top(2) = A;
  }
  }
}

void ExpressionEvaluator::jump(bool Taken) {
  int64_t By = R.fixed<int16_t>();
  if (!R.ok())
    return fail();
  const uint8_t *From = R.at();
  if (By < Start - From || By > End - From)
    return fail();
  if (Taken)
    R = DwarfReader(From + By, End);
}

void ExpressionEvaluator::unary(uint8_t Op) {
  uint64_t &T = top();
  if (Op == op::Not)
    T = ~T;
  else if (Op == op::Neg || int64_t(T) < 0)
    T = -T;
}

uint64_t ExpressionEvaluator::divide(uint64_t A, uint64_t B, bool Remainder) {
  if (B == 0) {
    fail();
    return 0;
  }
  if (Remainder)
    return A % B;
  // Signed, by the standard; the one quotient that does not fit would trap.
  return B == ~uint64_t(0) ? -A : uint64_t(int64_t(A) / int64_t(B));
}

void ExpressionEvaluator::binary(uint8_t Op) {
  uint64_t B = pop(), A = top();
  auto SA = int64_t(A), SB = int64_t(B);
  uint64_t &T = top();
  switch (Op) {
  case op::And:
    T = A & B;
    return;
  case op::Or:
    T = A | B;
    return;
  case op::Xor:
    T = A ^ B;
    return;
  case op::Plus:
    T = A + B;
    return;
  case op::Minus:
    T = A - B;
    return;
  case op::Mul:
    T = A * B;
    return;
  case op::Div:
  case op::Mod:
    T = divide(A, B, Op == op::Mod);
    return;
  case op::Shl:
    T = B < 64 ? A << B : 0;
    return;
  case op::Shr:
    T = B < 64 ? A >> B : 0;
    return;
  case op::Shra:
    T = uint64_t(SA >> (B < 64 ? B : 63));
    return;
  case op::Eq:
    T = A == B;
    return;
  case op::Ne:
    T = A != B;
    return;
  case op::Lt:
    T = SA < SB;
    return;
  case op::Le:
    T = SA <= SB;
    return;
  case op::Gt:
    T = SA > SB;
    return;
  case op::Ge:
    T = SA >= SB;
    return;
  default:
    fail();
  }
}

void ExpressionEvaluator::deref(unsigned Bytes) {
  uint64_t Value = 0;
  if (Bytes == 0 || Bytes > 8 || (Bytes & (Bytes - 1)) ||
      !In.Stack.Read(In.Stack.Context, top(), &Value, Bytes))
    return fail();
  top() = Value;
}

StepResult capture::evaluate(ByteSpan Expression, const ExpressionInput &In,
                             const uint64_t *First, uint64_t &Value) {
  return ExpressionEvaluator(Expression, In).run(First, Value);
}
