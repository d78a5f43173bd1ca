// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a stack.
//
// One walk of the calling thread's stack by rules, from the caller of a hook
// outwards, joined to the last walk where the frames are the same. Only memory
// known to be readable is read, whatever the program has written over its
// stack.

#ifndef MEMKIT_CAPTURE_STACKS_STACKWALK_H
#define MEMKIT_CAPTURE_STACKS_STACKWALK_H

#include "Runtime/Hook.h"
#include "StackState.h"

namespace memkit::capture {

/// The end of a walk.
enum class WalkEnd : uint8_t {
  Joined,  ///< at a frame of the last walk
  Root,    ///< at the outermost frame
  Lost,    ///< no unwind information, or a stack that makes no sense
  TooMany, ///< New is full
};

class StackWalk {
public:
  StackWalk(StackState &S, const CallerFrame &Caller)
      : S(S), Slot(Caller.Sp - 8), Pc(Caller.Pc), Fp(Caller.Fp) {}

  /// Starts on the thread's own stack: Caller.Sp is in S.Own. True: the walk
  /// equals the last walk, with the innermost frame top().
  bool beginOwn();
  /// Starts on another stack, whose pages are checked one by one.
  void beginOther();

  /// Fills S.New, innermost first.
  WalkEnd walk();

  /// For a joined walk: like save(), and returns the node of the innermost
  /// frame, if \p Find(parent, code) has all nodes, no frame is left out, and
  /// all frames can be kept. Nearly all stacks are so. 0: another stack;
  /// nothing is kept.
  template <typename Fn> uint32_t saveFast(uint32_t MaxDepth, Fn Find);

  /// Keeps this walk for the next, as far as possible. Nodes are set in S.New.
  void save();

  uint32_t count() const { return NumNew; } ///< of S.New
  KnownFrame &top() { return S.Frames[Joined - 1]; }
  /// Has the walk passed a signal frame?
  bool passedSignal() const { return PassedSignal; }
  /// The number of joined entries of S.Words.
  uint32_t joined() const { return Joined; }
  /// Excludes new frames from \p I inwards from save().
  void dontKeep(uint32_t I) {
    Unkept = int32_t(I) > Unkept ? int32_t(I) : Unkept;
  }

private:
  /// Indices in S.New.
  struct LeftOutFrames {
    uint32_t Begin = 0, End = 0;
    bool has(uint32_t I) const { return I >= Begin && I < End; }
  };
  LeftOutFrames leaveOut();
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
  uintptr_t Lo = 0, Hi = 0; ///< readable; sp() is in this range
  uint32_t Joined = 0, NumNew = 0;
  int32_t Unkept = -1;
  uint32_t RangeChanges = 0;
  /// The bits of all new frames' codes that differ from RuleKind::Sp.
  uint64_t Others = 0;
  bool IsOwn = false;   ///< only the thread's own stack so far
  bool OnOther = false; ///< on another stack now
  bool PassedSignal = false;
  WalkEnd End = WalkEnd::Root;
};

/// For new frames that all find their callers from rsp, none hidden: rbp is not
/// used.
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
inline uint32_t StackWalk::saveFast(uint32_t MaxDepth, Fn Find) {
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
