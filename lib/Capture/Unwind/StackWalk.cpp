//===- StackWalk.cpp - Walking a stack ------------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way that nearly all frames take. Other frames: RareSteps.cpp.
//
//===----------------------------------------------------------------------===//

#include "StackWalk.h"

#include "Runtime/Codes.h"

using namespace memkit;
using namespace memkit::capture;

/// How many of the \p N words, from the outermost on, are what they were.
static inline uint32_t unchanged(const KnownWord *W, uint32_t N) {
  auto Differs = [W](uint32_t I) {
    return *reinterpret_cast<const volatile uint64_t *>(W[I].Address) ^
           W[I].Value;
  };
  uint32_t K = 0;
  for (; K + 4 <= N; K += 4)
    if (__builtin_expect(
            Differs(K) | Differs(K + 1) | Differs(K + 2) | Differs(K + 3), 0))
      break;
  while (K < N && !Differs(K))
    ++K;
  return K;
}

bool StackWalk::beginOwn() {
  IsOwn = true;
  Lo = S.Own.Lo;
  Hi = S.Own.Hi;
  int64_t N = S.Count;
  // What lies below has returned.
  while (S.Words[N - 1].Address < Slot)
    --N;
  Joined = unchanged(S.Words, uint32_t(N));
  S.Count = Joined;
  return Joined == N && S.Words[N - 1].Address == Slot &&
         S.Frames[N - 1].isSame(Fp);
}

WalkEnd StackWalk::walk() {
  KnownWord *Words = S.Words;
  int64_t J = Joined;
  for (;;) {
    while (Words[J - 1].Address < Slot)
      --J;
    Joined = uint32_t(J);
    if (Words[J - 1].Address == Slot && S.Frames[J - 1].isSame(Fp))
      return WalkEnd::Joined;
    CodeWord C = codeAt(Pc - 1);
    if (__builtin_expect(!push(C), 0))
      break;
    if (__builtin_expect(C.isPlain(), 1)) {
      uintptr_t Base = C.kind() == RuleKind::Sp ? sp() : Fp;
      uintptr_t Cfa = Base + uintptr_t(C.cfaOffset());
      if (__builtin_expect(Cfa > sp() && Cfa <= Hi, 1)) {
        if (C.savesFp())
          Fp = load(Cfa + uintptr_t(C.fpOffset()));
        Slot = Cfa - 8;
        Pc = load(Slot);
        continue;
      }
    }
    if (!rareStep(C))
      break;
    if (OnOther)
      J = 0;
  }
  Joined = 0;
  return End;
}

bool StackWalk::push(CodeWord C) {
  if (__builtin_expect(NumNew == S.Capacity, 0)) {
    End = WalkEnd::TooMany;
    return false;
  }
  S.New[NumNew++] = {Slot, Pc, Fp, C, 0};
  return true;
}

/// The words of the new frames, outermost first, go behind those that were
/// joined to. A frame whose words do not lie in order between its return
/// address and its caller's is not kept.
void StackWalk::save() {
  if (!IsOwn)
    return;
  uint32_t W = Joined;
  S.Count = W;
  if (W + 3 * NumNew > S.Capacity) {
    S.Wanted = W + 3 * NumNew;
    return;
  }
  bool Needs = W && (S.Frames[W - 1].Bits & KnownFrame::NeedsFp);
  uint32_t Depth = W ? S.Frames[W - 1].depth() : 0;
  uintptr_t NextSlot = W ? S.Words[W - 1].Address : S.Own.Hi, NextFp = Fp;
  for (int64_t I = int64_t(NumNew) - 1; I > Unkept; --I) {
    const NewFrame &F = S.New[I];
    uintptr_t Lowest = NextSlot;
    auto Add = [&](uintptr_t Address, uint64_t Value) {
      S.Words[W] = {Address, Value};
      S.Frames[W++].Bits = 0;
      bool InOrder = Address < Lowest;
      Lowest = Address;
      return InOrder;
    };
    bool InOrder = F.Slot < NextSlot;
    uintptr_t Cfa = NextSlot + 8;
    if (F.Code.kind() == RuleKind::Realigned) {
      uintptr_t Pointer = F.Fp + uintptr_t(F.Code.cfaOffset());
      if (Pointer > F.Fp)
        InOrder &= Add(Pointer, Cfa);
      if (Needs)
        InOrder &= Add(F.Fp, NextFp);
      if (Pointer < F.Fp)
        InOrder &= Add(Pointer, Cfa);
      Needs = true;
    } else if (F.Code.savesFp()) {
      if (Needs)
        InOrder &= Add(Cfa + uintptr_t(F.Code.fpOffset()), NextFp);
      Needs = F.Code.kind() == RuleKind::Fp;
    } else {
      Needs |= F.Code.kind() == RuleKind::Fp;
    }
    if (!InOrder || F.Slot >= Lowest)
      return;
    Depth += !F.Code.has(CodeWord::Hidden);
    S.Words[W] = {F.Slot, F.Pc};
    S.Frames[W] = {F.Fp, F.Node,
                   Depth | KnownFrame::IsFrame |
                       (Needs ? KnownFrame::NeedsFp : 0)};
    S.Count = ++W;
    NextSlot = F.Slot;
    NextFp = F.Fp;
  }
}
