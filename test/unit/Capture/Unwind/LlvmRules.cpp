// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unwind rules from LLVM's reader.

#include "LlvmRules.h"

#include <vector>

using namespace llvm;
using namespace llvm::dwarf;
using namespace memkit;
using namespace memkit::test;
using capture::Registers;
using capture::Rule;
using capture::RuleKind;
using capture::StepResult;

/// Operations and operands of \p E as numbers; empty for operations that no
/// compiler writes into tables.
static std::vector<uint64_t> flatten(const DWARFExpression &E) {
  std::vector<uint64_t> Out;
  for (const DWARFExpression::Operation &Op : E) {
    if (Op.isError())
      return {};
    Out.push_back(Op.getCode());
    for (unsigned I = 0; I < Op.getNumOperands(); ++I)
      Out.push_back(Op.getRawOperand(I));
  }
  return Out;
}

static UnwindLocation locationOf(const UnwindRow &Row, uint32_t Register) {
  return Row.getRegisterLocations().getRegisterLocation(Register).value_or(
      UnwindLocation::createUnspecified());
}

/// Whether the register is unspecified or keeps its value.
static bool isKept(const UnwindLocation &L) {
  return L.getLocation() == UnwindLocation::Unspecified ||
         L.getLocation() == UnwindLocation::Undefined ||
         L.getLocation() == UnwindLocation::Same;
}

static std::vector<uint64_t> expressionOf(const UnwindLocation &L) {
  return L.getLocation() == UnwindLocation::DWARFExpr
             ? flatten(*L.getDWARFExpressionBytes())
             : std::vector<uint64_t>();
}

/// Whether \p L is the memory at the address that its expression computes.
static bool isAtExpression(const UnwindLocation &L) {
  return L.getLocation() == UnwindLocation::DWARFExpr &&
         L == UnwindLocation::createAtDWARFExpression(
                  *L.getDWARFExpressionBytes());
}

static bool isAtBased(const UnwindLocation &L, unsigned Register,
                      int64_t Offset) {
  return isAtExpression(L) &&
         expressionOf(L) ==
             std::vector<uint64_t>{DW_OP_breg0 + Register, uint64_t(Offset)};
}

static bool isSpCfa(const UnwindLocation &L) {
  return isKept(L) || L == UnwindLocation::createIsCFAPlusOffset(0);
}

Rule test::ruleOf(const UnwindRow &Row, bool SignalFrame) {
  uint8_t Flags = SignalFrame ? Rule::SignalFrame : 0;
  UnwindLocation Cfa = Row.getCFAValue(), Return = locationOf(Row, 16),
                 Sp = locationOf(Row, 7), Fp = locationOf(Row, 6);
  if (Return.getLocation() == UnwindLocation::Undefined)
    return {RuleKind::End, Flags};
  bool Usual =
      Return == UnwindLocation::createAtCFAPlusOffset(-8) && isSpCfa(Sp);
  Rule R{RuleKind::Slow, Flags};
  if (Cfa.getLocation() == UnwindLocation::Unspecified)
    return {RuleKind::None};
  if (Cfa.getLocation() == UnwindLocation::RegPlusOffset) {
    if (!Usual || (Cfa.getRegister() != 6 && Cfa.getRegister() != 7))
      return R;
    if (!isKept(Fp)) {
      if (Fp != UnwindLocation::createAtCFAPlusOffset(Fp.getOffset()) ||
          Fp.getOffset() % 8 != 0 || Fp.getOffset() / 8 < INT16_MIN ||
          Fp.getOffset() / 8 > INT16_MAX)
        return R;
      R.Flags |= Rule::FpSaved;
      R.FpSlot = int16_t(Fp.getOffset() / 8);
    }
    R.Kind = Cfa.getRegister() == 7 ? RuleKind::Sp : RuleKind::Fp;
    R.CfaOffset = Cfa.getOffset();
    return R;
  }
  std::vector<uint64_t> E = expressionOf(Cfa);
  if (E.size() == 3 && E[0] == DW_OP_breg6 && E[2] == DW_OP_deref && Usual &&
      isAtBased(Fp, 6, 0)) {
    R.Kind = RuleKind::Realigned;
    R.CfaOffset = int32_t(E[1]);
  }
  if (SignalFrame &&
      E == std::vector<uint64_t>{DW_OP_breg7, 160, DW_OP_deref} &&
      isAtBased(Return, 7, 168) && isAtBased(Fp, 7, 120) &&
      (isSpCfa(Sp) || isAtBased(Sp, 7, 160)))
    R.Kind = RuleKind::Signal;
  return R;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
class Stepper {
public:
  Stepper(const Registers &Regs, uint64_t (*Word)(uint64_t))
      : Regs(Regs), Word(Word) {}

  /// Evaluates the operations that compilers and glibc use in tables.
  std::optional<uint64_t> evaluate(const DWARFExpression &E,
                                   std::optional<uint64_t> First);
  std::optional<uint64_t> locate(const UnwindLocation &L, unsigned Register);

  uint64_t Cfa = 0;

private:
  const Registers &Regs;
  uint64_t (*Word)(uint64_t);
};
} // namespace

std::optional<uint64_t> Stepper::evaluate(const DWARFExpression &E,
                                          std::optional<uint64_t> First) {
  std::vector<uint64_t> S;
  if (First)
    S.push_back(*First);
  for (const DWARFExpression::Operation &Op : E) {
    if (Op.isError())
      return std::nullopt;
    uint8_t C = Op.getCode();
    if (C >= DW_OP_lit0 && C <= DW_OP_lit31) {
      S.push_back(C - DW_OP_lit0);
      continue;
    }
    if (C >= DW_OP_breg0 && C <= DW_OP_breg16) {
      S.push_back(Regs.Values[C - DW_OP_breg0] + Op.getRawOperand(0));
      continue;
    }
    if (C >= DW_OP_const1u && C <= DW_OP_consts) {
      S.push_back(Op.getRawOperand(0));
      continue;
    }
    if (S.empty())
      return std::nullopt;
    uint64_t Top = S.back();
    if (C == DW_OP_deref) {
      S.back() = Word(Top);
      continue;
    }
    if (C == DW_OP_plus_uconst) {
      S.back() += Op.getRawOperand(0);
      continue;
    }
    S.pop_back();
    if (C == DW_OP_drop)
      continue;
    if (S.empty())
      return std::nullopt;
    uint64_t &To = S.back();
    switch (C) {
    case DW_OP_and:
      To &= Top;
      break;
    case DW_OP_ge:
      To = int64_t(To) >= int64_t(Top);
      break;
    case DW_OP_shl:
      To <<= Top;
      break;
    case DW_OP_plus:
      To += Top;
      break;
    case DW_OP_minus:
      To -= Top;
      break;
    case DW_OP_mul:
      To *= Top;
      break;
    default:
      return std::nullopt;
    }
  }
  return S.empty() ? std::nullopt : std::optional<uint64_t>(S.back());
}

std::optional<uint64_t> Stepper::locate(const UnwindLocation &L,
                                        unsigned Register) {
  switch (L.getLocation()) {
  case UnwindLocation::Unspecified:
  case UnwindLocation::Undefined:
  case UnwindLocation::Same:
    return Register == 7 ? Cfa : Regs.Values[Register];
  case UnwindLocation::CFAPlusOffset: {
    uint64_t At = Cfa + uint64_t(int64_t(L.getOffset()));
    return L == UnwindLocation::createIsCFAPlusOffset(L.getOffset()) ? At
                                                                     : Word(At);
  }
  case UnwindLocation::RegPlusOffset:
    return Regs.Values[L.getRegister()] + uint64_t(int64_t(L.getOffset()));
  case UnwindLocation::DWARFExpr: {
    std::optional<uint64_t> V = evaluate(*L.getDWARFExpressionBytes(), Cfa);
    return V && isAtExpression(L) ? Word(*V) : V;
  }
  default:
    return std::nullopt;
  }
}

StepResult test::stepOf(const UnwindRow &Row, bool SignalFrame,
                        uint64_t (*Word)(uint64_t), Registers &Regs) {
  UnwindLocation Return = locationOf(Row, 16), Cfa = Row.getCFAValue();
  if (Return.getLocation() == UnwindLocation::Undefined)
    return StepResult::End;
  Stepper S(Regs, Word);
  std::optional<uint64_t> V;
  if (Cfa.getLocation() == UnwindLocation::DWARFExpr)
    V = S.evaluate(*Cfa.getDWARFExpressionBytes(), std::nullopt);
  else if (Cfa.getLocation() == UnwindLocation::RegPlusOffset)
    V = S.locate(Cfa, 0);
  if (!V || isKept(Return))
    return StepResult::Failed;
  S.Cfa = *V;
  Registers Caller;
  Caller.ExactPc = SignalFrame;
  for (unsigned I = 0; I < Registers::Count; ++I)
    if (std::optional<uint64_t> Value = S.locate(locationOf(Row, I), I))
      Caller.set(I, *Value);
  Regs = Caller;
  return StepResult::Stepped;
}
