// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes for stacks.

#include "Stack.h"

#include "Codes.h"
#include "InterpreterFrames.h"
#include "LoadWatch.h"
#include "Runtime/Process.h"
#include "Runtime/Thread.h"
#include "StackWalk.h"

using namespace memkit;
using namespace memkit::capture;

static constexpr uint32_t FirstCapacity = 510;
static constexpr uint32_t MaxCapacity = StackState::MaxCapacity;

static void countTableFull() {
  Proc.Ctl->LostTableFull.fetch_add(1, std::memory_order_relaxed);
}

static uint32_t callerNode(const CallerFrame &Caller) {
  uint32_t Code = codeAt(Caller.Pc).code();
  uint32_t Node = Code ? Stacks.Table.child(0, Code) : 0;
  if (!Node)
    countTableFull();
  return Node;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The layout of the one mapping: the recent rules; an entry that ends
/// searches, and the words; an equal number of frames; the new frames.
static size_t bytesFor(uint32_t Capacity) {
  return sizeof(RecentRules) +
         (Capacity + 1) * (sizeof(KnownWord) + sizeof(KnownFrame)) +
         Capacity * sizeof(NewFrame);
}

static void freeState(StackState &S) {
  if (S.Capacity)
    sys::unmap(S.Recent, bytesFor(S.Capacity));
  S.Capacity = S.Count = S.Wanted = 0;
}

/// Maps the memory for walks: the stack may be small, and malloc is hooked. A
/// child of fork finds zeros.
static bool resizeState(StackState &S, uint32_t Capacity) {
  freeState(S);
  Capacity = Capacity < MaxCapacity ? Capacity : MaxCapacity;
  size_t Bytes = bytesFor(Capacity);
  void *P = sys::map(Bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!P) {
    S.Own = {}; // The next event tries again.
    return false;
  }
  sys::call(SYS_madvise, long(P), long(Bytes), MADV_WIPEONFORK);
  S.Recent = static_cast<RecentRules *>(P);
  S.Words = reinterpret_cast<KnownWord *>(S.Recent + 1) + 1;
  S.Frames = reinterpret_cast<KnownFrame *>(S.Words + Capacity) + 1;
  S.New = reinterpret_cast<NewFrame *>(S.Frames + Capacity);
  S.Words[-1].Address = ~uintptr_t(0);
  S.Capacity = Capacity;
  return true;
}

/// The thread has a new process: forgets the state of the parent process.
static void startThread() {
  StackState &S = ThisStack;
  S.Count = 0;
  S.Mark = nullptr;
  S.Own = {};
  S.Generation = Stacks.Generation.load(std::memory_order_acquire);
  if (S.Capacity) {
    S.Words[-1].Address = ~uintptr_t(0);
    S.Recent->clear();
  }
}

static void endThread() { freeState(ThisStack); }

//===----------------------------------------------------------------------===//
// From frames to nodes
//===----------------------------------------------------------------------===//

namespace {
/// A walk and the nodes of its frames.
class Stack {
public:
  Stack(StackState &S, const CallerFrame &Caller) : S(S), Walk(S, Caller) {}
  uint32_t node(bool IsOwn, const CallerFrame &Caller);
  /// Did the walk come through a signal frame? Valid after node.
  bool passedSignal() const { return PassedSignal; }

private:
  uint32_t nodesOfNew(WalkEnd End);
  uint32_t shortened(uint32_t Root, uint32_t Total, bool Cut);
  uint32_t rootOf(WalkEnd End);
  uint32_t shownNew(uint32_t &Known) const;

  StackState &S;
  StackWalk Walk;
  bool PassedSignal = false;
};
} // namespace

/// The parent of the stack's outermost node: a mark if the walk did not reach
/// the root.
uint32_t Stack::rootOf(WalkEnd End) {
  if (End == WalkEnd::Root || End == WalkEnd::Joined)
    return 0;
  auto Kind =
      End == WalkEnd::Lost ? wire::CodeKind::NoCfi : wire::CodeKind::Gap;
  uint32_t Code = Stacks.Table.markCode(Kind);
  return Code ? Stacks.Table.child(0, Code) : 0;
}

/// The number of new frames with a node. \p Known: the number of outermost new
/// frames with a code; for the next frame the table is full.
uint32_t Stack::shownNew(uint32_t &Known) const {
  uint32_t Shown = 0;
  Known = 0;
  for (uint32_t I = Walk.count(); I--; ++Known) {
    CodeWord C = S.New[I].Code;
    if (C.has(CodeWord::Hidden))
      continue;
    if (!C.code())
      return Shown;
    ++Shown;
  }
  return Shown;
}

namespace {
/// Builds the node of a stack from its outermost frame inwards. Frames in the
/// middle of a stack that is too deep are left out.
class NodePath {
public:
  /// \p Root: the parent of the outermost frame. \p Total: the depth. \p Cut:
  /// the walk did not reach the root, so the stack has no outer half.
  NodePath(uint32_t Root, uint32_t Total, bool Cut)
      : Node(Root), Cut(Cut), IsWhole(Total <= Proc.MaxDepth),
        Outer(IsWhole ? Total
              : Cut   ? 0
                      : Proc.MaxDepth / 2),
        FirstInner(Total - (Proc.MaxDepth - Outer) + 1) {}

  bool isWhole() const { return IsWhole; }
  bool isOuter(uint32_t Depth) const { return Depth <= Outer; }
  bool isInner(uint32_t Depth) const { return Depth >= FirstInner; }
  uint32_t node() const { return Node; }
  bool isFull() const { return Full; }

  /// Takes the frame at \p Depth. \p Known: its node, good if \p IsGood; set
  /// for a frame of the outer half.
  void take(CodeWord C, uint32_t Depth, uint32_t &Known, bool IsGood) {
    if (isOuter(Depth)) {
      if (Known && IsGood)
        Node = Known;
      else
        enter(C.code());
      Known = Full ? 0 : Node;
    } else if (isInner(Depth)) {
      if (!Marked && !Cut)
        enter(Stacks.Table.markCode(wire::CodeKind::Gap));
      Marked = true;
      enter(C.code());
    }
  }

private:
  void enter(uint32_t Code) {
    uint32_t Next = Full || !Code ? 0 : Stacks.Table.child(Node, Code);
    Full |= !Next;
    Node = Next ? Next : Node;
  }

  uint32_t Node;
  bool Cut, IsWhole, Full = false, Marked = false;
  uint32_t Outer, FirstInner; ///< depths, from 1
};
} // namespace

/// Takes a frame of the last walk.
static void takeKnown(StackState &S, uint32_t I, NodePath &To) {
  KnownFrame &F = S.Frames[I];
  if (!(F.Bits & KnownFrame::IsFrame))
    return;
  CodeWord C = codeAt(S.Words[I].Value);
  if (C.has(CodeWord::Hidden))
    return;
  To.take(C, F.depth(), F.Node, !(F.Bits & KnownFrame::Shortened));
  if (To.isWhole())
    F.Bits &= ~KnownFrame::Shortened;
}

/// The node of a stack that is too deep: the outer half, a mark, the inner
/// half. Also for a stack within the depth whose frames have no nodes because
/// the last stack was too deep. Visits no frame that is left out, except new
/// ones.
uint32_t Stack::shortened(uint32_t Root, uint32_t Total, bool Cut) {
  NodePath To(Root, Total, Cut);
  uint32_t End = Walk.joined(), At = 0;
  auto IsFrameIn = [&](uint32_t I, auto Is) {
    const KnownFrame &F = S.Frames[I];
    return !(F.Bits & KnownFrame::IsFrame) || Is(F.depth());
  };
  while (At != End &&
         IsFrameIn(At, [&](uint32_t Depth) { return To.isOuter(Depth); }))
    takeKnown(S, At++, To);
  uint32_t Inner = End;
  while (Inner > At && IsFrameIn(Inner - 1, [&](uint32_t Depth) {
           return To.isInner(Depth);
         }))
    --Inner;
  for (; Inner != End; ++Inner)
    takeKnown(S, Inner, To);
  uint32_t Depth = End ? Walk.top().depth() : 0;
  for (uint32_t I = Walk.count(); I--;) {
    S.New[I].Node = 0;
    if (!S.New[I].Code.has(CodeWord::Hidden))
      To.take(S.New[I].Code, ++Depth, S.New[I].Node, false);
  }
  if (To.isFull())
    countTableFull();
  return To.node();
}

uint32_t Stack::nodesOfNew(WalkEnd End) {
  uint32_t N = Walk.count(), Known, Total = shownNew(Known), Node = 0;
  bool Fresh = true;
  if (Walk.joined()) {
    KnownFrame &From = Walk.top();
    Total += From.depth();
    Node = From.Node;
    Fresh = Node && !(From.Bits & KnownFrame::Shortened);
  } else {
    Node = rootOf(End);
  }
  if (!Fresh || Total > Proc.MaxDepth) {
    Node = shortened(Walk.joined() ? 0 : Node, Total, End == WalkEnd::TooMany);
    Walk.save();
    if (Total > Proc.MaxDepth && S.Count && Walk.count()) {
      S.Frames[S.Count - 1].Node = Node;
      S.Frames[S.Count - 1].Bits |= KnownFrame::Shortened;
    }
    return Node;
  }
  uint32_t Got = Stacks.Table.path(
      Node, Known, [&](uint32_t I) { return S.New[N - 1 - I].Code.code(); },
      [&](uint32_t I, uint32_t Id) { S.New[N - 1 - I].Node = Node = Id; });
  if (__builtin_expect(Got < N, 0)) {
    countTableFull();
    Walk.dontKeep(N - 1 - Got);
  }
  Walk.save();
  return Node;
}

uint32_t Stack::node(bool IsOwn, const CallerFrame &Caller) {
  if (!IsOwn)
    Walk.beginOther();
  else if (Walk.beginOwn() && Walk.top().Node)
    return Walk.top().Node;
  WalkEnd End = Walk.walk();
  PassedSignal = Walk.passedSignal();
  uint32_t Node;
  auto Find = [](uint32_t Parent, CodeWord C) {
    return C.has(CodeWord::Hidden) ? Parent
                                   : Stacks.Table.find(Parent, C.code());
  };
  if (__builtin_expect(End == WalkEnd::Joined, 1) &&
      (Node = Walk.saveFast(Proc.MaxDepth, Find)))
    return Node;
  if (End == WalkEnd::TooMany && S.Capacity < MaxCapacity) {
    if (!resizeState(S, S.Capacity * 8))
      return callerNode(Caller);
    Stack Again(S, Caller);
    uint32_t Node = Again.node(IsOwn, Caller);
    PassedSignal = Again.PassedSignal;
    return Node;
  }
  return nodesOfNew(End);
}

//===----------------------------------------------------------------------===//
// Of a thread
//===----------------------------------------------------------------------===//

/// The value of a word on the stack while the walk in its frame is in progress.
static constexpr uint64_t MarkValue = 0x6b6c6157656b614dull;

/// Has a handler that calls now interrupted a walk? False also after a longjmp
/// out of the walk, whose frame is then gone.
static bool isInterrupted(const CallerFrame &Caller) {
  StackState &S = ThisStack;
  uintptr_t At = uintptr_t(S.Mark);
  if (Caller.Sp <= At || !S.Own.has(At) || !S.Own.has(Caller.Sp) ||
      *S.Mark == MarkValue)
    return true;
  S.Count = 0;
  interpreter::abandonWalk();
  return false;
}

/// Makes \p S ready; false: no memory. \p IsOwn: is \p Caller on the thread's
/// own stack?
static bool prepare(StackState &S, const CallerFrame &Caller, bool &IsOwn) {
  if (S.Capacity <= S.Wanted && S.Capacity < MaxCapacity &&
      !resizeState(S, S.Wanted ? S.Wanted * 2 : FirstCapacity))
    return false;
  S.Wanted = 0;
  uint32_t Generation = Stacks.Generation.load(std::memory_order_acquire);
  if (S.Generation != Generation) {
    S.Generation = Generation;
    S.Count = 0;
    S.Recent->clear();
  }
  IsOwn = S.Own.has(Caller.Sp - 8);
  if (!IsOwn && S.Own.Hi)
    IsOwn = growDown(Caller.Sp - 8, S.Own);
  else if (!IsOwn)
    IsOwn = findOwnStack(Caller.Sp - 8, Loader.StackEnd, S.Own);
  return true;
}

static bool hasInterpreter() {
  return Stacks.HasInterpreter.load(std::memory_order_acquire);
}

/// The node of all frames. A handler may have interrupted the interpreter
/// anywhere, and its frames cannot be read then. So the native stack is walked
/// even if only Python's frames are wanted.
static uint32_t fullNode(bool IsOwn, const CallerFrame &Caller) {
  Stack Walked(ThisStack, Caller);
  uint32_t Node = Walked.node(IsOwn, Caller);
  if (__builtin_expect(!hasInterpreter(), 1) || Walked.passedSignal())
    return Node;
  if (__builtin_expect(Stacks.Bits & wire::SB_Python, 1))
    return interpreter::withFrames(Node);
  interpreter::poll();
  return Node;
}

namespace {
/// Marks a walk as in progress during its lifetime.
class WalkMark {
public:
  explicit WalkMark(StackState &S) : S(S) {
    S.Mark = &Value;
    signalFence();
  }
  ~WalkMark() {
    Value = 0;
    signalFence();
    S.Mark = nullptr;
  }
  WalkMark(const WalkMark &) = delete;
  WalkMark &operator=(const WalkMark &) = delete;

private:
  StackState &S;
  volatile uint64_t Value = MarkValue;
};
} // namespace

uint32_t capture::interpreterNode(ThreadState &T, const CallerFrame &Caller) {
  StackState &S = ThisStack;
  if (T.QuietBits || T.Ring.isNested() ||
      (__builtin_expect(S.Mark != nullptr, 0) && isInterrupted(Caller)))
    return 0;
  WalkMark Mark(S);
  return interpreter::node();
}

void capture::pollInterpreter(const ThreadState &T) {
  if (T.QuietBits || T.Ring.isNested())
    return;
  pollLoads();
  if (hasInterpreter())
    interpreter::poll();
  else if (!hasLoads()) // the interpreter was refused, or is gone
    Stacks.HasPendingWork.store(false, std::memory_order_relaxed);
}

uint32_t capture::stackNode(ThreadState &T, const CallerFrame &Caller) {
  StackState &S = ThisStack;
  if (__builtin_expect(T.QuietBits || T.Ring.isNested() || !Stacks.Bits, 0)) {
    pollInterpreter(T);
    return callerNode(Caller);
  }
  if (__builtin_expect(S.Mark != nullptr, 0) && isInterrupted(Caller))
    return callerNode(Caller);
  WalkMark Mark(S);
  bool IsOwn = S.Own.has(Caller.Sp - 8);
  if (__builtin_expect(
          (!IsOwn || S.Wanted ||
           S.Generation != Stacks.Generation.load(std::memory_order_acquire)),
          0) &&
      !prepare(S, Caller, IsOwn))
    return callerNode(Caller);
  return fullNode(IsOwn, Caller);
}

//===----------------------------------------------------------------------===//
// Of a process
//===----------------------------------------------------------------------===//

static int findInList(void *Pc, FoundObject *Result) {
  return Stacks.Loaded.find(Loader.Lists->r_map, uintptr_t(Pc), *Result);
}

static bool connectSource(int Fd, const wire::Regions &R, wire::Control &C) {
  for (auto *Next : {&C.NextNode, &C.NextCode, &C.NextBinary})
    Next->store(1, std::memory_order_release);
  Stacks.Bits = C.Settings.Stacks & wire::SB_Mixed;
  return Stacks.Table.begin(Fd, R, C) && Stacks.Codes.begin() &&
         Stacks.Bins.begin(Fd, R, C, Loader.FindObject);
}

constinit ProcessStacks capture::Stacks;
__thread StackState capture::ThisStack;
constinit const Source capture::StackSource = {
    .State = &Stacks,
    .StateBytes = sizeof(Stacks),
    .Prepare = [] { askLoader(findInList); },
    .Connect = connectSource,
    .StartThread = startThread,
    .EndThread = endThread};
