// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps over code without unwind tables.

#include "StackWalk.h"

#include "Calls.h"
#include "Codes.h"

using namespace memkit;
using namespace memkit::capture;

/// Does a chain of frame pointers from \p Base lead outwards, through code
/// without a binary, to code of a binary? A value that is no frame pointer
/// hardly ever passes this test.
bool StackWalk::isChainToOwned(uintptr_t Base) {
  constexpr unsigned MaxFrames = 128;
  for (unsigned I = 0; I < MaxFrames && Base % 8 == 0 && canRead(Base, 16);
       ++I) {
    uintptr_t Return = load(Base + 8), Next = load(Base);
    if (Return <= StackPage)
      return false;
    if (Stacks.Bins.binaryOf(Return - 1))
      return true;
    if (Next <= Base)
      return false;
    Base = Next;
  }
  return false;
}

/// Pushes a mark above the frame that was pushed last, in place of the callers
/// that a step by rbp passes over.
bool StackWalk::pushMissing() {
  uint32_t Mark = Stacks.Table.markCode(wire::CodeKind::NoCfi);
  bool HasRoom =
      !Mark || push(CodeWord::make({.Kind = RuleKind::None}, Mark, 0));
  // The mark has no return address, so the next walk cannot recognise the mark.
  dontKeep(NumNew - 1);
  return HasRoom;
}

/// For code of a JIT compiler, or of assembly without tables, which often keeps
/// a frame pointer.
bool StackWalk::noTableStep(CodeWord &C) {
  if (C.has(CodeWord::Unowned) && !stillUnowned(Pc, C)) {
    S.New[NumNew - 1].Code = C;
    return true;
  }
  bool Jit = C.has(CodeWord::Unowned);
  if (Fp < sp() || Fp % 8 || !moveTo(Fp + 16) || !canRead(Fp, 16))
    return false;
  uintptr_t CallersFp = load(Fp), CallersPc = load(Fp + 8);
  bool Owned = Stacks.Bins.binaryOf(CallersPc - 1) != 0;
  if (!Owned && (CallersFp <= Fp || CallersPc <= StackPage ||
                 !(Jit || isChainToOwned(CallersFp))))
    return false;
  // The rule for the next walk.
  Rule R{.Kind = RuleKind::Fp,
         .Flags = Rule::FpSaved,
         .FpSlot = -2,
         .CfaOffset = 16};
  S.New[NumNew - 1].Code = CodeWord::make(
      R, C.code(), C.bits() & (CodeWord::Unowned | CodeWord::Hidden));
  // rbp belonged to a function with tables, and so not to the code at Pc.
  bool SomeMissing = !Jit && Owned && callsCodeWithTables(CallersPc);
  if (SomeMissing && !pushMissing())
    return false;
  Slot = Fp + 8;
  Fp = CallersFp;
  Pc = CallersPc;
  C = CodeWord();
  return true;
}
