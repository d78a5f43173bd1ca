// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks of Python.

#include "PythonStack.h"

#include "PythonWalk.h"
#include "Runtime/Errand.h"
#include "Runtime/Thread.h"
#include "Stacks/InterpreterFrames.h"

using namespace memkit;
using namespace memkit::capture;

__thread PythonThread capture::ThisPython;

static constexpr uint32_t FirstCapacity = 510;
static constexpr uint32_t MaxCapacity = 1u << 22;

static void countTableFull() {
  Proc.Ctl->LostTableFull.fetch_add(1, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static size_t bytesFor(uint32_t Capacity) {
  return Capacity * (sizeof(KnownPython) + sizeof(NewPython)) +
         PythonSlots * sizeof(uint32_t) + wire::MaxTextBytes +
         2 * MarkedFrames::MaxFrames * sizeof(uint16_t);
}

void capture::releasePythonState(PythonThread &S) {
  if (S.Capacity)
    sys::unmap(S.Known, bytesFor(S.Capacity));
  S = {};
}

/// Reserves the memory; pages are allocated when used, as in the native walk.
static bool resizeState(PythonThread &S, uint32_t Capacity) {
  releasePythonState(S);
  if (Capacity > MaxCapacity)
    return false;
  size_t Bytes = bytesFor(Capacity);
  void *P = sys::map(Bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!P)
    return false;
  sys::call(SYS_madvise, long(P), long(Bytes), MADV_WIPEONFORK);
  S.Known = static_cast<KnownPython *>(P);
  S.New = reinterpret_cast<NewPython *>(S.Known + Capacity);
  S.Where = reinterpret_cast<uint32_t *>(S.New + Capacity);
  S.Buffer = reinterpret_cast<char *>(S.Where + PythonSlots);
  S.Layers.At = reinterpret_cast<uint16_t *>(S.Buffer + wire::MaxTextBytes);
  S.Calls.At = S.Layers.At + MarkedFrames::MaxFrames;
  S.Capacity = Capacity;
  return true;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Adds nodes for the frames of S.Known from \p From on; returns the innermost.
static uint32_t exactNodes(PythonThread &S, uint32_t From) {
  uint32_t Node = From ? S.Known[From - 1].Node : 0, N = S.Count - From;
  uint32_t Got = Stacks.Table.path(
      Node, N, [&](uint32_t I) { return S.Known[From + I].Code & CodeMask; },
      [&](uint32_t I, uint32_t Id) { S.Known[From + I].Node = Node = Id; });
  if (__builtin_expect(Got < N, 0))
    countTableFull();
  S.Exact = From + Got;
  if (Got < N)
    S.Known[S.Count - 1].Node = Node;
  return Node;
}

/// The number of frames with a node of their own.
static uint32_t countCoded(PythonThread &S) {
  for (; S.Counted < S.Count; ++S.Counted)
    S.Coded += S.Known[S.Counted].isCoded();
  return S.Coded;
}

/// Like exactNodes(), for a stack deeper than MaxDepth: the outer half, a mark,
/// the inner half. Only the innermost of the inner frames gets a node, the
/// whole stack's. Visits no frame between the halves.
static uint32_t shortenedNodes(PythonThread &S, uint32_t From) {
  if (countCoded(S) <= Proc.MaxDepth)
    return exactNodes(S, From);
  uint32_t Outer = Proc.MaxDepth / 2, I = 0, Count = S.Count;
  for (uint32_t Depth = 0; Depth < Outer; ++I)
    Depth += S.Known[I].isCoded();
  uint32_t Node;
  if (I > From) {
    S.Count = I;
    Node = exactNodes(S, From);
    S.Count = Count;
    if (S.Exact < I)
      return S.Known[Count - 1].Node = Node;
  } else {
    Node = S.Known[I - 1].Node;
  }
  S.Exact = I;
  auto Enter = [&](uint32_t Code) {
    uint32_t Next = Code ? Stacks.Table.child(Node, Code) : 0;
    Node = Next ? Next : Node;
    if (!Next)
      countTableFull();
    return Next;
  };
  bool Goes = Enter(Stacks.Table.markCode(wire::CodeKind::Gap));
  uint32_t At = Count;
  for (uint32_t Inner = Proc.MaxDepth - Outer; Inner;)
    Inner -= S.Known[--At].isCoded();
  for (; Goes && At < Count; ++At)
    if (S.Known[At].isCoded())
      Goes = Enter(S.Known[At].Code & CodeMask);
  return S.Known[Count - 1].Node = Node;
}

uint32_t capture::nodesOfRest(PythonThread &S, uint32_t From) {
  if (S.Count <= Proc.MaxDepth)
    return exactNodes(S, From);
  return shortenedNodes(S, From);
}

//===----------------------------------------------------------------------===//
// Of a thread
//===----------------------------------------------------------------------===//

/// The node of the walk; 0: no frames. TooMany: S is too small.
static uint32_t walkFrom(PythonThread &S, uintptr_t Frame) {
  switch (Python.layout().Shape) {
  case FrameShape::Objects:
    return PythonWalk<FrameShape::Objects>(S).node(Frame);
  case FrameShape::Marked:
    return PythonWalk<FrameShape::Marked>(S).node(Frame);
  case FrameShape::Shims:
    return PythonWalk<FrameShape::Shims>(S).node(Frame);
  case FrameShape::Tagged:
    return PythonWalk<FrameShape::Tagged>(S).node(Frame);
  }
  return 0;
}

/// The node of the Python frames that asked for this thread's errand; 0: none.
static uint32_t errandNode() {
  const Errand &E = ThisErrand;
  return __builtin_expect(E.Python != 0, 0) && E.Epoch == ThisThread.Epoch
             ? E.Python
             : 0;
}

uint32_t interpreter::node() {
  if (!Python.isWalked())
    return 0;
  uintptr_t Ts =
      ThisPython.HasLock ? Python.lockedState() : Python.threadState();
  uintptr_t Frame = Ts ? Python.innermost(Ts) : 0;
  PythonThread &S = ThisPython;
  if (!Frame)
    return S.Adopted ? S.Adopted : errandNode();
  Python.takeRequests();
  uint32_t Generation = Python.generation();
  if (__builtin_expect(S.Generation != Generation || !S.Capacity, 0)) {
    if (!S.Capacity && !resizeState(S, FirstCapacity))
      return 0;
    resetPythonState(S);
    S.Generation = Generation;
  }
  for (;;) {
    uint32_t Node = walkFrom(S, Frame);
    if (__builtin_expect(Node != TooMany, 1))
      return Node;
    if (!resizeState(S, S.Capacity * 8))
      return 0;
    S.Generation = Generation;
  }
}

void interpreter::abandonWalk() { ThisPython.HasLock = false; }
