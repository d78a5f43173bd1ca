// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step by the full unwind tables.

#include "CfaProgram.h"
#include "DwarfExpression.h"
#include "Rule.h"

using namespace memkit;
using namespace memkit::capture;

using RegisterLocation = RegisterRule::RegisterLocation;

namespace {
/// The step from one frame to its caller.
struct FrameStep {
  const CfaRow<AllRegisters> &Row;
  const Registers &Regs; ///< of this frame
  const StackReader &Stack;
  uint64_t Cfa = 0;

  StepResult findCfa();
  StepResult find(const RegisterRule &R, unsigned Register, uint64_t &Value);
  StepResult readWord(uint64_t Address, uint64_t &Value);
};
} // namespace

StepResult FrameStep::readWord(uint64_t Address, uint64_t &Value) {
  return Stack.Read(Stack.Context, Address, &Value, sizeof(Value))
             ? StepResult::Stepped
             : StepResult::Failed;
}

StepResult FrameStep::findCfa() {
  const CfaRule &C = Row.Cfa;
  switch (C.Kind) {
  case CfaRule::CfaForm::Register:
    if (C.Register >= Registers::Count)
      return StepResult::Failed;
    if (!Regs.knows(C.Register))
      return StepResult::Unknown;
    Cfa = Regs.Values[C.Register] + uint64_t(C.Offset);
    return StepResult::Stepped;
  case CfaRule::CfaForm::Expression:
    return evaluate(C.block(), {Regs, Stack}, nullptr, Cfa);
  case CfaRule::CfaForm::Unset:
    break;
  }
  return StepResult::Failed;
}

/// The value of the caller's \p Register by the rule \p R.
StepResult FrameStep::find(const RegisterRule &R, unsigned Register,
                           uint64_t &Value) {
  uint64_t From = Register;
  switch (R.Kind) {
  case RegisterLocation::Offset:
    return readWord(Cfa + uint64_t(R.Offset), Value);
  case RegisterLocation::ValOffset:
    Value = Cfa + uint64_t(R.Offset);
    return StepResult::Stepped;
  case RegisterLocation::Expression: {
    uint64_t Address = 0;
    StepResult Result = evaluate(R.block(), {Regs, Stack}, &Cfa, Address);
    return Result == StepResult::Stepped ? readWord(Address, Value) : Result;
  }
  case RegisterLocation::ValExpression:
    return evaluate(R.block(), {Regs, Stack}, &Cfa, Value);
  case RegisterLocation::Register:
    From = uint64_t(R.Offset);
    break;
  case RegisterLocation::Unset:
  case RegisterLocation::Undefined:
  case RegisterLocation::Same:
    if (Register != Registers::Sp)
      break;
    Value = Cfa; // by the definition of the CFA
    return StepResult::Stepped;
  }
  if (From >= Registers::Count)
    return StepResult::Failed;
  if (!Regs.knows(unsigned(From)))
    return StepResult::Unknown;
  Value = Regs.Values[From];
  return StepResult::Stepped;
}

/// Registers that a walk needs to go on.
static bool isNeeded(unsigned Register) {
  return Register == Registers::Sp || Register == Registers::Pc;
}

static StepResult stepBy(const CfaRow<AllRegisters> &Row, Registers &Regs,
                         const StackReader &Stack) {
  const RegisterRule &Return = Row[Registers::Pc];
  if (Return.Kind == RegisterLocation::Undefined)
    return StepResult::End;
  if (Return.keeps()) // The frame would call itself for ever.
    return StepResult::Failed;
  FrameStep S{Row, Regs, Stack};
  if (StepResult R = S.findCfa(); R != StepResult::Stepped)
    return R;
  Registers Caller;
  for (unsigned I = 0; I < Registers::Count; ++I) {
    uint64_t Value = 0;
    StepResult R = S.find(Row[I], I, Value);
    if (R == StepResult::Stepped)
      Caller.set(I, Value);
    else if (isNeeded(I))
      return R;
  }
  Regs = Caller;
  return StepResult::Stepped;
}

StepResult capture::stepSlow(const EhFrame &Tables, Registers &Regs,
                             const StackReader &Stack) {
  FunctionRecord F;
  uintptr_t Pc = Regs.lookupPc();
  if (!findFunction(Tables, Pc, F))
    return StepResult::Failed;
  CfaProgram<AllRegisters> Program(F, Pc);
  if (!Program.run())
    return StepResult::Failed;
  StepResult Result = stepBy(Program.row(), Regs, Stack);
  if (Result == StepResult::Stepped)
    Regs.ExactPc = F.Common.SignalFrame;
  return Result;
}
