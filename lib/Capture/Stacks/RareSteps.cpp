// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps over frames that are not plain.
//
// Realigned stacks, signal frames, slow rules, code without tables, and the
// change from one stack to another.

#include "Codes.h"
#include "StackWalk.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

static uintptr_t endOfPage(uintptr_t Address) {
  return (Address | (StackPage - 1)) + 1;
}

void StackWalk::beginOther() {
  // This library's own frames are below the program's innermost frame.
  constexpr uintptr_t Below = 128;
  OnOther = true;
  Lo = Slot - Below;
  Hi = endOfPage(Slot);
}

//===----------------------------------------------------------------------===//
// Readable memory
//===----------------------------------------------------------------------===//

/// Continues at \p NewSp, on any stack.
bool StackWalk::enterRange(uintptr_t NewSp) {
  // Bounds a walk that goes in circles.
  constexpr uint32_t MaxChanges = 1024, Upwards = 1, Downwards = 16;
  if (NewSp > sp() && NewSp < Hi)
    return true;
  RangeChanges += NewSp > sp() ? Upwards : Downwards;
  if (NewSp % 8 || RangeChanges > MaxChanges)
    return false;
  OnOther = !S.Own.has(NewSp);
  if (OnOther && !isReadable(NewSp))
    return false;
  IsOwn &= !OnOther;
  Lo = OnOther ? NewSp : S.Own.Lo;
  Hi = OnOther ? endOfPage(NewSp) : S.Own.Hi;
  return true;
}

/// Moves to the caller's frame, whose stack pointer was \p Cfa before the call.
/// False: the words below \p Cfa cannot be read.
bool StackWalk::moveTo(uintptr_t Cfa) {
  // A frame further up is as likely on the next piece of a split stack; the
  // memory between need not be readable.
  constexpr uintptr_t MaxAsked = 16 * StackPage;
  if (Cfa > sp() && Cfa <= Hi)
    return true;
  if (OnOther && Cfa > Hi && Cfa - Hi < MaxAsked) {
    Hi = readableUpTo(Hi - 1, endOfPage(Cfa - 1));
    if (Cfa <= Hi)
      return true;
  }
  // Another stack: a split stack, or a stack that the program switched from.
  dontKeep(NumNew - 1);
  return Cfa > StackPage && enterRange(Cfa - 16) && canRead(Cfa - 16, 16);
}

bool StackWalk::canRead(uintptr_t Address, size_t Bytes) {
  uintptr_t Last = Address + Bytes - 1;
  if (Address >= Lo && Last >= Address && Last < Hi)
    return true;
  return Last >= Address && ((S.Own.has(Address) && S.Own.has(Last)) ||
                             (isReadable(Address & ~uintptr_t(7)) &&
                              isReadable(Last & ~uintptr_t(7))));
}

bool StackWalk::readWord(const void *Walk, uintptr_t Address, void *To,
                         size_t Bytes) {
  auto *W = const_cast<StackWalk *>(static_cast<const StackWalk *>(Walk));
  if (!W->canRead(Address, Bytes))
    return false;
  memcpy(To, reinterpret_cast<const void *>(Address), Bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

bool StackWalk::plainStep(CodeWord C) {
  uintptr_t Base = C.kind() == RuleKind::Sp ? sp() : Fp;
  uintptr_t Cfa = Base + uintptr_t(C.cfaOffset());
  if (!moveTo(Cfa))
    return false;
  if (C.savesFp()) {
    uintptr_t At = Cfa + uintptr_t(C.fpOffset());
    if (!canRead(At, 8))
      return false;
    Fp = load(At);
  }
  Slot = Cfa - 8;
  Pc = load(Slot);
  return true;
}

bool StackWalk::realignedStep(CodeWord C) {
  uintptr_t Pointer = Fp + uintptr_t(C.cfaOffset());
  if (!canRead(Pointer, 8) || !canRead(Fp, 8))
    return false;
  uintptr_t Cfa = load(Pointer), CallersFp = load(Fp);
  if (!moveTo(Cfa))
    return false;
  Fp = CallersFp;
  Slot = Cfa - 8;
  Pc = load(Slot);
  return true;
}

/// Continues at an interrupted frame: its pc is the exact instruction, and is
/// not stored on the stack.
bool StackWalk::interrupted(uintptr_t NewPc, uintptr_t NewSp, uintptr_t NewFp,
                            CodeWord &C) {
  PassedSignal = true;
  if (!enterRange(NewSp))
    return false;
  Slot = NewSp - 8;
  Pc = NewPc + 1;
  Fp = NewFp;
  C = codeAt(Pc);
  if (!push(C))
    return false;
  dontKeep(NumNew - 1);
  return true;
}

bool StackWalk::signalStep(CodeWord &C) {
  uintptr_t At = sp();
  constexpr size_t Bytes = SignalContext::Pc + 8;
  if (At + Bytes > Hi && OnOther)
    Hi = readableUpTo(Hi - 1, endOfPage(At + Bytes));
  if (!canRead(At, Bytes))
    return false;
  dontKeep(NumNew - 1);
  return interrupted(load(At + SignalContext::Pc), load(At + SignalContext::Sp),
                     load(At + SignalContext::Fp), C);
}

bool StackWalk::slowStep(CodeWord &C) {
  dontKeep(NumNew - 1);
  uint32_t Binary = Stacks.Bins.binaryOf(Pc - 1);
  if (!Binary)
    return false;
  Registers R;
  R.set(Registers::Sp, sp());
  R.set(Registers::Fp, Fp);
  R.set(Registers::Pc, Pc - 1);
  R.ExactPc = true; // rsp, rbp and pc are of the frame; pc is the address for
                    // the look-up of the rule
  switch (stepSlow(Stacks.Bins.tablesOf(Binary), R, {readWord, this})) {
  case StepResult::Stepped:
    break;
  case StepResult::End:
    End = WalkEnd::Root;
    return false;
  default:
    return false;
  }
  uintptr_t NewSp = R.Values[Registers::Sp], NewPc = R.Values[Registers::Pc];
  uintptr_t NewFp = R.knows(Registers::Fp) ? R.Values[Registers::Fp] : 0;
  if (R.ExactPc)
    return interrupted(NewPc, NewSp, NewFp, C);
  if (!moveTo(NewSp))
    return false;
  Slot = NewSp - 8;
  Pc = NewPc;
  Fp = NewFp;
  C = CodeWord();
  return true;
}

/// Steps from the last pushed frame, with the word \p C, to a frame with a
/// return address. False: the walk ends, with the reason in End.
bool StackWalk::rareStep(CodeWord C) {
  for (;;) {
    End = WalkEnd::Lost;
    bool Stepped = false;
    switch (C.kind()) {
    case RuleKind::Sp:
    case RuleKind::Fp:
      if (plainStep(C))
        return true;
      break;
    case RuleKind::Realigned:
      if (realignedStep(C))
        return true;
      break;
    case RuleKind::End:
      End = WalkEnd::Root;
      return false;
    case RuleKind::Signal:
      Stepped = signalStep(C);
      break;
    case RuleKind::Slow:
      Stepped = slowStep(C);
      break;
    default:
      Stepped = noTableStep(C);
      break;
    }
    if (!Stepped) {
      if (End == WalkEnd::Lost)
        dontKeep(NumNew - 1);
      return false;
    }
    if (!C) // The frame has a return address again.
      return true;
  }
}
