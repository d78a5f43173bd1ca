// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that allocate CPython's arenas.

#include "ArenaStacks.h"
#include "memkit/Model/Rules.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Names of functions in CPython's Objects/obmalloc.c. A build without names of
/// static functions has only the second or the third.
static bool isArenaFunction(StringRef Name) {
  return Name == "new_arena" || Name == "_PyObject_ArenaMmap" ||
         Name == "_PyMem_ArenaAlloc";
}

/// Functions of CPython's Python/pystate.c that map a piece of a thread's stack
/// of frames, by the function that maps arenas.
static bool isStackFunction(StringRef Name) {
  return Name == "push_chunk" || Name == "_PyThreadState_PushFrame" ||
         Name == "_PyThreadState_BumpFramePointerSlow";
}

/// `python3.11`, `libpython3.11.so.1.0`.
static bool isInterpreter(StringRef Path) {
  StringRef Name = baseName(Path);
  Name.consume_front("lib");
  return Name.starts_with("python3");
}

ArenaStacks::ArenaStacks(const SelectedStats &S) : T(S.trace()), Own(T) {
  markNamed();
  markCallers(S);
}

void ArenaStacks::mark(uint32_t Frame) {
  Frames.resize(T.numFrames() + 1);
  Frames[Frame] = true;
}

void ArenaStacks::markNamed() {
  auto IsOfArenas = [&](const ShownFrame &F) {
    return !F.IsPython && isArenaFunction(F.Function);
  };
  if (none_of(T.allShown(), IsOfArenas))
    return;
  OfStacks.resize(T.numFrames() + 1);
  for (uint32_t Frame = 1; Frame <= T.numFrames(); ++Frame) {
    if (any_of(T.unfolded(Frame), IsOfArenas))
      mark(Frame);
    OfStacks[Frame] = any_of(T.unfolded(Frame), [](const ShownFrame &F) {
      return !F.IsPython && isStackFunction(F.Function);
    });
  }
}

bool ArenaStacks::isUnnamedInterpreter(uint32_t Frame) const {
  return Frame && T.locations(Frame).empty() &&
         isInterpreter(T.binaryPath(Frame));
}

/// Marks the calls for which isUnnamedInterpreter() holds and below which all
/// mappings have the size of an arena: that of 3.10 and later, or that of older
/// versions. The next caller is checked as well, because from 3.11 on the
/// function that maps arenas also maps pieces of the interpreter's own stack.
void ArenaStacks::markCallers(const SelectedStats &S) {
  auto IsInterpreter = [&](const Binary &M) {
    return isInterpreter(T.string(M.Path));
  };
  if (none_of(T.binaries(), IsInterpreter))
    return;
  constexpr uint64_t Sizes[] = {1 << 20, 256 << 10};
  BitVector Maps(T.heaps().size() + 1);
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    Maps[Heap] = T.heapName(Heap) == "host.mmap";
  DenseMap<uint32_t, bool> AreArenas; // by frame
  S.forEach([&](uint32_t, const StackStats &R) {
    if (!Maps[R.Heap] || !R.Allocations)
      return;
    bool Are = any_of(Sizes, [&](uint64_t Size) {
      return R.AllocatedBytes == R.Allocations * Size;
    });
    uint32_t Caller = T.parent(T.leaf(R.Key));
    for (uint32_t Node : {Caller, T.parent(Caller)}) {
      if (!isUnnamedInterpreter(T.frameOf(Node)))
        return;
      auto [At, New] = AreArenas.try_emplace(T.frameOf(Node), Are);
      At->second &= Are;
    }
  });
  for (auto [Frame, Are] : AreArenas)
    if (Are)
      mark(Frame);
}

bool isImportAt(const Trace &T, const OwnCode &Own, uint32_t Node) {
  for (; Node; Node = T.parent(Node))
    for (const ShownFrame &F : T.unfolded(T.frameOf(Node))) {
      if (!F.IsPython)
        continue;
      if (Own.isOwnPython(F.File))
        return false;
      if (F.File.contains("importlib") &&
          T.rules().pythonRole(F.Function, F.File) == FrameRole::Loader)
        return true;
    }
  return false;
}

bool ArenaStacks::isArena(uint32_t Stack) const {
  if (Frames.empty())
    return false;
  // A marked frame is among the innermost frames.
  constexpr unsigned Innermost = 8;
  uint32_t Node = T.leaf(Stack);
  bool IsArena = false;
  for (unsigned I = 0; Node && I != Innermost; ++I, Node = T.parent(Node)) {
    if (!OfStacks.empty() && OfStacks[T.frameOf(Node)])
      return false;
    IsArena |= Frames[T.frameOf(Node)];
  }
  return IsArena;
}

} // namespace memkit
