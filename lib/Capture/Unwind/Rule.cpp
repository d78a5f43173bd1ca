// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step over a frame, in eight bytes.

#include "Rule.h"
#include "CfaProgram.h"

using namespace memkit;
using namespace memkit::capture;

using FrameRow = CfaRow<FrameRegisters>;
using RegisterLocation = RegisterRule::RegisterLocation;

/// The DW_OP_* in recognised expressions.
static constexpr uint8_t OpDeref = 0x06;
static constexpr uint8_t OpBreg0 = 0x70;

/// Is \p B the expression \p Register + \p Offset, or the word there if \p
/// Deref?
static bool isBasedAt(ByteSpan B, unsigned Register, int64_t &Offset,
                      bool Deref) {
  DwarfReader R(B.Start, B.Start + B.Size);
  if (R.byte() != OpBreg0 + Register)
    return false;
  Offset = R.sleb();
  if (Deref && R.byte() != OpDeref)
    return false;
  return R.ok() && R.done();
}

/// Is \p R the word at \p Register + \p Offset?
static bool isWordAt(const RegisterRule &R, unsigned Register, int64_t Offset) {
  int64_t Found;
  return R.Kind == RegisterLocation::Expression &&
         isBasedAt(R.block(), Register, Found, false) && Found == Offset;
}

/// Is the caller's rsp the CFA?
static bool isSpCfa(const RegisterRule &R) {
  return R.keeps() || (R.Kind == RegisterLocation::ValOffset && R.Offset == 0);
}

/// Has the row the registers that a signal interrupted in the kernel's places?
static bool isSignalRow(const FrameRow &Row, int64_t CfaOffset) {
  constexpr unsigned Sp = Registers::Sp;
  const RegisterRule &CallerSp = Row[Sp];
  return CfaOffset == SignalContext::Sp &&
         isWordAt(Row[Registers::Fp], Sp, SignalContext::Fp) &&
         isWordAt(Row[Registers::Pc], Sp, SignalContext::Pc) &&
         (isSpCfa(CallerSp) || isWordAt(CallerSp, Sp, SignalContext::Sp));
}

/// The rule of a row with an expression for the CFA.
static Rule compileExpression(const FrameRow &Row, uint8_t Flags) {
  Rule R{RuleKind::Slow, Flags};
  int64_t Offset;
  ByteSpan Cfa = Row.Cfa.block();
  if ((Flags & Rule::SignalFrame) &&
      isBasedAt(Cfa, Registers::Sp, Offset, true) && isSignalRow(Row, Offset)) {
    R.Kind = RuleKind::Signal;
    return R;
  }
  if (isBasedAt(Cfa, Registers::Fp, Offset, true) &&
      Offset == int32_t(Offset) && Row[Registers::Pc].isAt(-8) &&
      isSpCfa(Row[Registers::Sp]) &&
      isWordAt(Row[Registers::Fp], Registers::Fp, 0)) {
    R.Kind = RuleKind::Realigned;
    R.CfaOffset = int32_t(Offset);
  }
  return R;
}

/// The rule of a row with a register and an offset for the CFA.
static Rule compileBased(const FrameRow &Row, uint8_t Flags) {
  const CfaRule &Cfa = Row.Cfa;
  const RegisterRule &Fp = Row[Registers::Fp];
  Rule R{RuleKind::Slow, Flags};
  bool Simple =
      (Cfa.Register == Registers::Sp || Cfa.Register == Registers::Fp) &&
      Cfa.Offset == int32_t(Cfa.Offset) && Row[Registers::Pc].isAt(-8) &&
      isSpCfa(Row[Registers::Sp]);
  if (!Simple)
    return R;
  if (!Fp.keeps()) {
    int64_t Slot = Fp.Offset / 8;
    if (Fp.Kind != RegisterLocation::Offset || Fp.Offset % 8 ||
        Slot != int16_t(Slot))
      return R;
    R.Flags |= Rule::FpSaved;
    R.FpSlot = int16_t(Slot);
  }
  R.Kind = Cfa.Register == Registers::Sp ? RuleKind::Sp : RuleKind::Fp;
  R.CfaOffset = int32_t(Cfa.Offset);
  return R;
}

static Rule ruleOf(const FrameRow &Row, uint8_t Flags) {
  if (Row[Registers::Pc].Kind == RegisterLocation::Undefined)
    return {RuleKind::End, Flags};
  switch (Row.Cfa.Kind) {
  case CfaRule::CfaForm::Register:
    return compileBased(Row, Flags);
  case CfaRule::CfaForm::Expression:
    return compileExpression(Row, Flags);
  case CfaRule::CfaForm::Unset:
    break;
  }
  return {RuleKind::None};
}

Rule capture::compileRule(const EhFrame &Tables, uintptr_t Pc,
                          AddressRange &Same, CfaCursors *Known) {
  Same = {};
  FunctionRecord F;
  if (!findFunction(Tables, Pc, F))
    return {RuleKind::None};
  CfaProgram<FrameRegisters> Program(F, Pc);
  if (!Program.run(Known ? &Known->of(F.Program.Start) : nullptr))
    return {RuleKind::None};
  // Locations that go backwards are invalid.
  if (AddressRange R = Program.rowRange(); R.has(Pc))
    Same = R;
  return ruleOf(Program.row(), F.Common.SignalFrame ? Rule::SignalFrame : 0);
}
