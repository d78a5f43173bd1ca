// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walking a stack.
//
// One walk of the calling thread's stack, from the caller of a hook outwards,
// by rules; joined to the last walk where that is the same from there on.
// Nothing is read that is not known to be readable, whatever the program has
// written over its stack.

#ifndef MEMKIT_CAPTURE_STACKS_STACKWALK_H
#define MEMKIT_CAPTURE_STACKS_STACKWALK_H

#include "Runtime/Hook.h"
#include "StackState.h"

namespace memkit::capture {

/// How a walk ended.
enum class WalkEnd : uint8_t {
  Joined,  ///< at a frame of the last walk
  Root,    ///< at the outermost frame
  Lost,    ///< no way on: no unwind information, or a stack that makes no sense
  TooMany, ///< New is full
};

class StackWalk {
public:
  StackWalk(StackState &S, const Frame &Caller)
      : S(S), Slot(Caller.Sp - 8), Pc(Caller.Pc), Fp(Caller.Fp) {}

  /// On the thread's own stack: Caller.Sp lies in S.Own. True: it is wholly
  /// that of the last walk, whose last frame is top().
  bool beginOwn();
  /// On another stack, which is asked for page by page.
  void beginOther();

  /// Fills S.New, innermost first.
  WalkEnd walk();

  /// Of a walk that was joined: what save does, and the node of the innermost
  /// frame, for what nearly all stacks are: all of their nodes are known, by
  /// \p Find(parent, code), nothing is left out of them, and all can be kept.
  /// 0: it is not one of those, and nothing has been kept.
  template <typename Fn> uint32_t saveUsual(uint32_t MaxDepth, Fn Find);

  /// Keeps what can be kept of this walk for the next. Nodes are set in S.New.
  void save();

  uint32_t count() const { return NumNew; } ///< of S.New
  KnownFrame &top() { return S.Frames[Joined - 1]; }
  /// A signal frame was on the way.
  bool passedSignal() const { return PassedSignal; }
  /// Entries of S.Words that were joined to.
  uint32_t joined() const { return Joined; }
  /// New frames from \p I inwards are not to be kept.
  void dontKeep(uint32_t I) {
    Unkept = int32_t(I) > Unkept ? int32_t(I) : Unkept;
  }

private:
  template <typename Fn> uint32_t saveFromSp(uint32_t MaxDepth, Fn Find);
  bool push(CodeWord C);
  bool rareStep(CodeWord C);
  bool plainStep(CodeWord C);
  bool realignedStep(CodeWord C);
  bool signalStep(CodeWord &C);
  bool slowStep(CodeWord &C);
  bool noTableStep(CodeWord &C);
  bool isChainToOwned(uintptr_t Base);
  bool pushMissing();
  bool interrupted(uintptr_t NewPc, uintptr_t NewSp, uintptr_t NewFp,
                   CodeWord &C);
  bool moveTo(uintptr_t Cfa);
  bool enterRange(uintptr_t NewSp);
  bool canRead(uintptr_t Address, size_t Bytes);
  static bool readWord(const void *Walk, uintptr_t Address, void *To,
                       size_t Bytes);

  uintptr_t sp() const { return Slot + 8; }
  static uint64_t load(uintptr_t Address) {
    return *reinterpret_cast<const volatile uint64_t *>(Address);
  }

  StackState &S;
  uintptr_t Slot, Pc, Fp;
  uintptr_t Lo = 0, Hi = 0; ///< can be read; sp() lies there
  uint32_t Joined = 0, NumNew = 0;
  int32_t Unkept = -1;
  uint32_t RangeChanges = 0;
  /// The bits of all new frames' codes but for RuleKind::Sp.
  uint64_t Others = 0;
  bool IsOwn = false;   ///< has been on the thread's own stack only
  bool OnOther = false; ///< is on another one now
  bool PassedSignal = false;
  WalkEnd End = WalkEnd::Root;
};

/// When all new frames find their callers from rsp, and none is left out: rbp
/// plays no part.
template <typename Fn>
inline uint32_t StackWalk::saveFromSp(uint32_t MaxDepth, Fn Find) {
  KnownWord *W = S.Words + Joined;
  KnownFrame *F = S.Frames + Joined;
  uint32_t Node = F[-1].Node, Bits = F[-1].Bits;
  for (const NewFrame *N = S.New + NumNew; N-- != S.New; ++W, ++F) {
    Node = Find(Node, N->Code);
    if (__builtin_expect(!Node, 0))
      return 0;
    W->Address = N->Slot;
    W->Value = N->Pc;
    F->Node = Node;
    F->Bits = ++Bits;
  }
  if (__builtin_expect(F[-1].depth() > MaxDepth, 0))
    return 0;
  S.Count = uint32_t(W - S.Words);
  return Node;
}

template <typename Fn>
inline uint32_t StackWalk::saveUsual(uint32_t MaxDepth, Fn Find) {
  KnownWord *W = S.Words + Joined;
  KnownFrame *F = S.Frames + Joined;
  uint32_t Node = F[-1].Node, Bits = F[-1].Bits;
  if (!IsOwn || Unkept >= 0 || !Node || (Bits & KnownFrame::Shortened) ||
      Joined + 2 * NumNew > S.Capacity)
    return 0;
  if (__builtin_expect(!(Others & (CodeWord::KindMask | CodeWord::Hidden)) &&
                           !(Bits & KnownFrame::NeedsFp),
                       1))
    return saveFromSp(MaxDepth, Find);
  uint32_t Depth = F[-1].depth(), Needs = Bits & KnownFrame::NeedsFp;
  uintptr_t NextSlot = W[-1].Address, NextFp = Fp;
  for (const NewFrame *N = S.New + NumNew; N-- != S.New;) {
    CodeWord C = N->Code;
    Node = Find(Node, C);
    bool IsPlain = C.isPlain();
    if (__builtin_expect(!Node || !IsPlain, 0))
      return 0;
    uintptr_t Slot = N->Slot, Lowest = NextSlot;
    if (C.savesFp()) {
      if (__builtin_expect(Needs, 0)) {
        Lowest = NextSlot + 8 + uintptr_t(C.fpOffset());
        *W++ = {Lowest, NextFp};
        (F++)->Bits = 0;
      }
      Needs = 0;
    }
    Needs |= C.isFromSp() ? 0 : KnownFrame::NeedsFp;
    if (__builtin_expect(Slot >= Lowest || Lowest > NextSlot, 0))
      return 0;
    Depth += !C.has(CodeWord::Hidden);
    W->Address = NextSlot = Slot;
    (W++)->Value = N->Pc;
    F->Fp = NextFp = N->Fp;
    F->Node = Node;
    (F++)->Bits = Depth | Needs | KnownFrame::IsFrame;
  }
  if (Depth > MaxDepth)
    return 0;
  S.Count = uint32_t(W - S.Words);
  return Node;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_STACKWALK_H
