//===- Stack.cpp - Nodes for stacks ---------------------------------------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"

using namespace memkit;
using namespace memkit::capture;

static constexpr uint32_t FirstCapacity = 4096;
static constexpr uint32_t MostCapacity = 1u << 20;

/// A return address less one lies in the call.
static uint32_t codeOf(uintptr_t Pc) {
  return Proc.Stacks.codeOf(Pc - 1,
                            [](uint64_t A) { return Proc.Mods.moduleOf(A); });
}

static uint32_t childOf(uint32_t Parent, uintptr_t Pc) {
  uint32_t Code = codeOf(Pc);
  return Code ? Proc.Stacks.child(Parent, Code) : 0;
}

static void countTableFull() {
  Proc.Ctl->LostTableFull.fetch_add(1, std::memory_order_relaxed);
}

static void freeCache(StackCache &C) {
  for (uintptr_t *P : C.Pcs)
    if (P)
      sys::unmap(P, C.Capacity * sizeof(uintptr_t));
  if (C.Nodes)
    sys::unmap(C.Nodes, C.Capacity * sizeof(uint32_t));
  C.Pcs[0] = C.Pcs[1] = nullptr;
  C.Nodes = nullptr;
  C.Capacity = C.Depth = 0;
}

/// Not off the stack (it may be small) and not from malloc. A child of fork
/// goes on with its copy.
static bool resizeCache(StackCache &C, uint32_t Capacity) {
  constexpr int Flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  freeCache(C);
  auto Map = [&](size_t Each) {
    return sys::map(Capacity * Each, Flags, -1, 0);
  };
  C.Capacity = Capacity;
  C.Pcs[0] = static_cast<uintptr_t *>(Map(sizeof(uintptr_t)));
  C.Pcs[1] = static_cast<uintptr_t *>(Map(sizeof(uintptr_t)));
  C.Nodes = static_cast<uint32_t *>(Map(sizeof(uint32_t)));
  if (C.Pcs[0] && C.Pcs[1] && C.Nodes)
    return true;
  freeCache(C);
  return false;
}

void capture::releaseStackCache(Thread &T) { freeCache(T.Last); }

/// How many outermost frames of \p Pcs the last stack has too.
static uint32_t commonDepth(const StackCache &C, const uintptr_t *Pcs,
                            uint32_t N) {
  const uintptr_t *Old = C.Pcs[C.Current] + C.Depth, *New = Pcs + N;
  uint32_t Most = C.Depth < N ? C.Depth : N, D = 0;
  while (D < Most && Old[-1 - int64_t(D)] == New[-1 - int64_t(D)])
    ++D;
  return D;
}

/// A stack within the limits; what it shares with the last one is taken over.
static uint32_t wholeStack(StackCache &C, uintptr_t *Pcs, uint32_t N) {
  uint32_t D = commonDepth(C, Pcs, N);
  uint32_t Node = D ? C.Nodes[D - 1] : 0;
  for (; D < N; ++D) {
    uint32_t Next = childOf(Node, Pcs[N - 1 - D]);
    if (!Next) {
      countTableFull();
      break;
    }
    C.Nodes[D] = Node = Next;
  }
  if (D == N) {
    C.Current ^= 1;
    C.Depth = N;
  } else {
    C.Depth = 0;
  }
  return Node;
}

static uint32_t extend(uint32_t Node, const uintptr_t *Pcs, uint32_t N,
                       bool &Full) {
  while (N-- && !Full) {
    uint32_t Next = childOf(Node, Pcs[N]);
    Full = !Next;
    Node = Next ? Next : Node;
  }
  return Node;
}

/// A stack that is too deep: its outer half, a mark, its inner half. \p Cut:
/// the walk did not reach the root; there is no outer half.
static uint32_t shortenedStack(StackCache &C, uintptr_t *Pcs, uint32_t N,
                               bool Cut) {
  uint32_t Outer = Cut ? 0 : Proc.MaxDepth / 2;
  uint32_t Inner = Proc.MaxDepth - Outer < N ? Proc.MaxDepth - Outer : N;
  bool Full = false;
  C.Depth = 0;
  uint32_t Node = extend(0, Pcs + N - Outer, Outer, Full);
  uint32_t Gap = Full ? 0 : Proc.Stacks.gapCode();
  uint32_t Marked = Gap ? Proc.Stacks.child(Node, Gap) : 0;
  if (Marked)
    Node = extend(Marked, Pcs, Inner, Full);
  if (Full || !Marked)
    countTableFull();
  return Node;
}

static uint32_t callerNode(const Frame &Caller) {
  uint32_t Node = childOf(0, Caller.Pc);
  if (!Node)
    countTableFull();
  return Node;
}

/// Nothing is reused across images or after addresses have been forgotten.
static void checkCache(StackCache &C, uint64_t Epoch) {
  uint32_t Generation = Proc.CodeGeneration.load(std::memory_order_acquire);
  if (C.Generation == Generation && C.Epoch == Epoch)
    return;
  C.Depth = 0;
  C.Generation = Generation;
  C.Epoch = Epoch;
}

uint32_t capture::stackNode(Thread &T, const Frame &Caller, bool &Walked) {
  Walked = false;
  if (T.QuietBits || T.Ring.isNested())
    return callerNode(Caller);
  Quiet Q(Quiet::Unwinding);
  StackCache &C = T.Last;
  if (!C.Capacity && !resizeCache(C, FirstCapacity))
    return callerNode(Caller);
  checkCache(C, T.Epoch);
  std::atomic<uint32_t> &Flag = Kept.Unwinding[T.RingNumber].On;
  for (;;) {
    uintptr_t *Pcs = C.Pcs[C.Current ^ 1];
    bool Cut;
    Flag.store(1, std::memory_order_relaxed);
    uint32_t N = unwind(Pcs, C.Capacity, Caller, Cut);
    Flag.store(0, std::memory_order_relaxed);
    Walked = N > 1;
    if (Cut && C.Capacity < MostCapacity) {
      if (!resizeCache(C, C.Capacity * 8 < MostCapacity ? C.Capacity * 8
                                                        : MostCapacity))
        return callerNode(Caller);
      continue;
    }
    if (Cut || N > Proc.MaxDepth)
      return shortenedStack(C, Pcs, N, Cut);
    return wholeStack(C, Pcs, N);
  }
}
