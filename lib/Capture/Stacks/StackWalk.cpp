// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a stack.
//
// The fast path of nearly all frames. Other frames: RareSteps.cpp.

#include "StackWalk.h"

#include "Codes.h"
#include "Runtime/Process.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// The first changed word from \p W to \p End, outermost first; \p End: none.
static inline const KnownWord *firstChanged(const KnownWord *W,
                                            const KnownWord *End) {
  auto Differs = [](const KnownWord &W) {
    return *reinterpret_cast<const volatile uint64_t *>(W.Address) ^ W.Value;
  };
  for (; End - W >= 4; W += 4)
    if (__builtin_expect(
            Differs(W[0]) | Differs(W[1]) | Differs(W[2]) | Differs(W[3]), 0))
      break;
  while (W != End && !Differs(*W))
    ++W;
  return W;
}

/// A walk compares so many words at both ends of the last walk at least: more
/// than a stack of the greatest depth has.
static uint32_t comparedWords() {
  constexpr uint32_t Min = 4096;
  uint32_t Words = Proc.MaxDepth * KnownWord::MostOfFrame;
  return Words > Min ? Words : Min;
}

/// As firstChanged(), of a stack that is far too deep: the frames in its middle
/// are left out, and count as unchanged between words that are. Each call of
/// malloc would else read the whole stack.
static const KnownWord *firstChangedOfDeep(const KnownWord *W,
                                           const KnownWord *End,
                                           uint32_t Compared) {
  const KnownWord *OuterEnd = W + Compared, *Outer = firstChanged(W, OuterEnd);
  if (Outer != OuterEnd)
    return Outer;
  const KnownWord *Changed = End;
  for (const KnownWord *To = End; To != OuterEnd;) {
    bool IsLast = To - OuterEnd <= ptrdiff_t(Compared);
    const KnownWord *From = IsLast ? OuterEnd : To - Compared;
    const KnownWord *First = firstChanged(From, To);
    if (First == To)
      break;
    Changed = First;
    To = From;
  }
  return Changed;
}

bool StackWalk::beginOwn() {
  IsOwn = true;
  Lo = S.Own.Lo;
  Hi = S.Own.Hi;
  const KnownWord *End = S.Words + S.Count;
  // Frames below have returned.
  while (End[-1].Address < Slot)
    --End;
  uint32_t Compared = comparedWords();
  const KnownWord *Same =
      __builtin_expect(End - S.Words <= 2 * ptrdiff_t(Compared), 1)
          ? firstChanged(S.Words, End)
          : firstChangedOfDeep(S.Words, End, Compared);
  Joined = S.Count = uint32_t(Same - S.Words);
  return Same == End && End[-1].Address == Slot && top().isSame(Fp);
}

WalkEnd StackWalk::walk() {
  const KnownWord *Known = S.Words + Joined;
  NewFrame *New = S.New, *const NewEnd = New + S.Capacity;
  uintptr_t At = Slot, Return = Pc, Base = Fp; // the members, in registers
  uint64_t All = 0;
  auto Store = [&] {
    Slot = At;
    Pc = Return;
    Fp = Base;
    Others = All;
    NumNew = uint32_t(New - S.New);
  };
  for (;;) {
    while (Known[-1].Address < At)
      --Known;
    if (Known[-1].Address == At) {
      Joined = uint32_t(Known - S.Words);
      if (__builtin_expect(top().isSame(Base), 1)) {
        Store();
        return WalkEnd::Joined;
      }
    }
    CodeWord C = codeAt(Return);
    if (__builtin_expect(New == NewEnd, 0)) {
      Store();
      End = WalkEnd::TooMany;
      break;
    }
    All |= C.bits() ^ uint64_t(RuleKind::Sp);
    New->Slot = At;
    New->Pc = Return;
    New->Fp = Base;
    (New++)->Code = C;
    if (__builtin_expect(C.kind() == RuleKind::Sp, 1)) {
      // The CFA is above rsp (CodeWord ensures this).
      uintptr_t Next = At + uintptr_t(C.cfaOffset());
      if (__builtin_expect(Next + 8 <= Hi, 1)) {
        At = Next;
        if (C.savesFp())
          Base = load(At + 8 + uintptr_t(C.fpOffset()));
        Return = load(At);
        continue;
      }
    } else if (C.kind() == RuleKind::Fp) {
      uintptr_t Cfa = Base + uintptr_t(C.cfaOffset());
      if (__builtin_expect(Cfa > At + 8 && Cfa <= Hi, 1)) {
        if (C.savesFp())
          Base = load(Cfa + uintptr_t(C.fpOffset()));
        At = Cfa - 8;
        Return = load(At);
        continue;
      }
    }
    Store();
    if (!rareStep(C))
      break;
    At = Slot;
    Return = Pc;
    Base = Fp;
    New = S.New + NumNew;
    if (OnOther)
      Known = S.Words;
  }
  Joined = 0;
  return End;
}

bool StackWalk::push(CodeWord C) {
  if (NumNew == S.Capacity) {
    End = WalkEnd::TooMany;
    return false;
  }
  S.New[NumNew++] = {Slot, Pc, Fp, C, 0};
  return true;
}

/// Makes room for the frames of a stack that is too deep for all of them: keeps
/// the outermost words, and the innermost, which the next walks meet first.
StackWalk::LeftOutFrames StackWalk::leaveOut() {
  uint32_t Outer = S.Capacity / 8, Inner = S.Capacity / 4;
  if (Joined > Outer + Inner) {
    // Between entries of a frame is no difference: a walk joins at frames.
    uint32_t From = Joined - Inner;
    memmove(S.Words + Outer, S.Words + From, Inner * sizeof(KnownWord));
    memmove(S.Frames + Outer, S.Frames + From, Inner * sizeof(KnownFrame));
    S.Count = Joined = Outer + Inner;
  }
  uint32_t OfOuter = Joined < Outer ? Outer - Joined : 0;
  uint32_t First = OfOuter / KnownWord::MostOfFrame;
  uint32_t Last = (S.Capacity - Joined - OfOuter) / KnownWord::MostOfFrame;
  if (First + Last >= NumNew)
    return {};
  return {Last, NumNew - First};
}

/// Appends the words of the new frames, outermost first, to the joined words.
/// Does not keep a frame whose words are not in order between its return
/// address and its caller's.
void StackWalk::save() {
  if (!IsOwn)
    return;
  S.Count = Joined;
  LeftOutFrames LeftOut;
  if (Joined + KnownWord::MostOfFrame * NumNew > S.Capacity) {
    if (S.Capacity < StackState::MaxCapacity) {
      S.Wanted = Joined + KnownWord::MostOfFrame * NumNew;
      return;
    }
    LeftOut = leaveOut();
  }
  KnownWord *W = S.Words + Joined;
  KnownFrame *F = S.Frames + Joined;
  uint32_t Needs = Joined ? F[-1].Bits & KnownFrame::NeedsFp : 0;
  uint32_t Depth = Joined ? F[-1].depth() : 0;
  uintptr_t NextSlot = Joined ? W[-1].Address : S.Own.Hi, NextFp = Fp;
  const NewFrame *const Last = S.New + Unkept;
  for (const NewFrame *N = S.New + NumNew; --N != Last;) {
    uintptr_t Lowest = NextSlot;
    bool InOrder = true, IsKept = !LeftOut.has(uint32_t(N - S.New));
    auto Add = [&](uintptr_t Address, uint64_t Value) {
      if (IsKept) {
        *W++ = {Address, Value};
        (F++)->Bits = 0;
      }
      InOrder &= Address < Lowest;
      Lowest = Address;
    };
    CodeWord C = N->Code;
    if (__builtin_expect(C.kind() == RuleKind::Realigned, 0)) {
      uintptr_t Pointer = N->Fp + uintptr_t(C.cfaOffset());
      if (Pointer > N->Fp)
        Add(Pointer, NextSlot + 8);
      if (Needs)
        Add(N->Fp, NextFp);
      if (Pointer < N->Fp)
        Add(Pointer, NextSlot + 8);
      Needs = KnownFrame::NeedsFp;
    } else {
      if (C.savesFp()) {
        if (__builtin_expect(Needs, 0))
          Add(NextSlot + 8 + uintptr_t(C.fpOffset()), NextFp);
        Needs = 0;
      }
      if (C.kind() == RuleKind::Fp)
        Needs = KnownFrame::NeedsFp;
    }
    if (__builtin_expect(!InOrder || N->Slot >= Lowest, 0))
      return;
    Depth += !C.has(CodeWord::Hidden);
    if (IsKept) {
      *W++ = {N->Slot, N->Pc};
      *F++ = {N->Fp, N->Node, Depth | KnownFrame::IsFrame | Needs};
      S.Count = uint32_t(W - S.Words);
    }
    NextSlot = N->Slot;
    NextFp = N->Fp;
  }
}
