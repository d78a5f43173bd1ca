// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's own allocators.
//
// Order, as with malloc: a free is recorded before it happens, an allocation
// before its function returns, a realloc on either side. An object that is too
// large for the interpreter's arenas is in a block of malloc, whose records
// stand between the object's: the block of malloc lives longer than the object.
//
// All these functions run with the interpreter's lock. Blocks pass from thread
// to thread under the lock only, so the early clock is sufficient.

#include "Objects.h"

#include "Interpreter.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

using namespace memkit;
using namespace memkit::capture;

/// The state that children of fork keep.
static PythonTable Table;

/// Restores the interpreter's table, where memkit's functions are on top. With
/// the interpreter's lock.
static void takeOut();

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

namespace {
/// A domain of the table. Context points to the domain's entry in Table.Real.
struct Domain {
  PythonAllocator &Real;
  AllocFunction Malloc, Calloc, Realloc;

  static Domain of(void *Context) {
    auto *Real = static_cast<PythonAllocator *>(Context);
    bool IsMem = Real == Table.Real;
    return {*Real,
            IsMem ? AllocFunction::PyMemMalloc : AllocFunction::PyObjectMalloc,
            IsMem ? AllocFunction::PyMemCalloc : AllocFunction::PyObjectCalloc,
            IsMem ? AllocFunction::PyMemRealloc
                  : AllocFunction::PyObjectRealloc};
  }
};
} // namespace

/// Has malloc been called since LastAllocation was set to 0? Then the object
/// may be in malloc's block.
static bool isInMalloc() { return ThisThread.LastAllocation != 0; }

/// What: an ObjectAllocateRecord or ObjectReallocEndRecord; this function sets
/// InMalloc and Stack.
template <class T>
static void writeObject(T What, const CallerFrame &Caller, ThreadState &Of) {
  What.InMalloc = isInMalloc();
  ThisPython.HasLock = true;
  What.Stack = stackNode(Of, Caller);
  ThisPython.HasLock = false;
  if (Of.Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    Of.Ring.write(What, RingWriter::ClockRead::Early);
}

/// Is an object of \p Size bytes recorded?
static bool isWanted(size_t Size) {
  return isRecording() && Size >= Python.objects().minSize();
}

/// Of a program that ran before and goes on: memkit's functions go with the
/// recording. The caller has the interpreter's lock.
static void leaveAfterRecording() {
  if (Kept.IsLate && !Proc.Epoch.load(std::memory_order_acquire))
    takeOut();
}

static inline void recordObject(void *P, size_t Size, AllocFunction F,
                                const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (__builtin_expect(!T, 0))
    return leaveAfterRecording();
  if (isWanted(Size) && hasRoom(*T))
    writeObject(wire::ObjectAllocateRecord{uintptr_t(P), Size, F, 0, false},
                Caller, *T);
}

/// What: an ObjectFreeRecord or ObjectReallocBeginRecord. True: recorded; the
/// end of a realloc must be recorded, too, and may use the margin.
template <class R> static inline bool recordGoing(const R &What) {
  ThreadState *T = recordingThread();
  if (!T || !hasRoom(*T))
    return false;
  T->Ring.write(What, RingWriter::ClockRead::Early);
  return true;
}

static void recordReallocated(void *P, size_t Size, AllocFunction F,
                              const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T)
    return;
  if (P && isWanted(Size))
    writeObject(wire::ObjectReallocEndRecord{uintptr_t(P), Size, F, 0, false},
                Caller, *T);
  else
    T->Ring.write(wire::ObjectReallocEndRecord{P ? wire::Unrecorded : 0, 0,
                                               AllocFunction::None, 0, false},
                  RingWriter::ClockRead::Early);
}

//===----------------------------------------------------------------------===//
// The functions of the table
//===----------------------------------------------------------------------===//

static void *objectMalloc(void *Context, size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  Domain D = Domain::of(Context);
  ThisThread.LastAllocation = 0;
  void *P = D.Real.Malloc(D.Real.Context, Size);
  if (P)
    recordObject(P, Size, D.Malloc, Caller);
  return P;
}

static void *objectCalloc(void *Context, size_t Count, size_t Each) {
  CallerFrame Caller = MEMKIT_CALLER;
  Domain D = Domain::of(Context);
  ThisThread.LastAllocation = 0;
  void *P = D.Real.Calloc(D.Real.Context, Count, Each);
  if (P) // so the product does not overflow
    recordObject(P, Count * Each, D.Calloc, Caller);
  return P;
}

static void *objectRealloc(void *Context, void *Old, size_t Size) {
  CallerFrame Caller = MEMKIT_CALLER;
  Domain D = Domain::of(Context);
  bool Begun =
      Old && recordGoing(wire::ObjectReallocBeginRecord{uintptr_t(Old)});
  ThisThread.LastAllocation = 0;
  void *P = D.Real.Realloc(D.Real.Context, Old, Size);
  if (Begun)
    recordReallocated(P, Size, D.Realloc, Caller);
  else if (P)
    recordObject(P, Size, D.Realloc, Caller);
  return P;
}

static void objectFree(void *Context, void *P) {
  auto &Real = *static_cast<PythonAllocator *>(Context);
  if (P)
    recordGoing(wire::ObjectFreeRecord{uintptr_t(P)});
  Real.Free(Real.Context, P);
}

//===----------------------------------------------------------------------===//
// Installing and removing
//===----------------------------------------------------------------------===//

bool ObjectHooks::begin(const Exports &E, wire::Control &C) {
  PythonTable &T = Table;
  Ctl = &C;
  MinSize = C.Settings.MinSize;
  bool HasAll = E.find("PyMem_GetAllocator", T.Get) &&
                E.find("PyMem_SetAllocator", T.Set) &&
                E.find("Py_AtExit", AtExit) && Calls.find(E);
  Wanted.store(HasAll, std::memory_order_relaxed);
  if (!HasAll)
    C.Findings[wire::FS_PythonObjects].Code.store(
        uint32_t(wire::ObjectState::NoSymbols), std::memory_order_release);
  return HasAll;
}

void ObjectHooks::request() { Calls.ask(Wanted, install, nullptr); }

static bool isOurs(const PythonAllocator &A) {
  return A.Malloc == objectMalloc;
}

static void takeOut() {
  PythonTable &T = Table;
  for (int I = 0; I != PythonTable::NumDomains; ++I) {
    PythonAllocator Is;
    T.Get(PythonTable::FirstDomain + I, &Is);
    if (!T.Installed[I] || !isOurs(Is))
      continue;
    T.Set(PythonTable::FirstDomain + I, &T.Real[I]);
    T.Installed[I] = false;
  }
}

/// Called by the interpreter, with its lock held. Installed functions stay in
/// the table of children of fork, and other functions may have been installed
/// over memkit's: do not install again.
int ObjectHooks::install(void *) {
  ObjectHooks &Self = Python.objects();
  // A child of fork inherits the call; a recording may have ended meanwhile.
  if (!Self.AtExit || !Proc.Epoch.load(std::memory_order_acquire))
    return 0;
  PythonTable &T = Table;
  bool Any = false;
  for (int I = 0; I != PythonTable::NumDomains; ++I) {
    if (T.Installed[I])
      continue;
    T.Get(PythonTable::FirstDomain + I, &T.Real[I]);
    if (isOurs(T.Real[I]))
      continue;
    PythonAllocator Ours = {&T.Real[I], objectMalloc, objectCalloc,
                            objectRealloc, objectFree};
    T.Set(PythonTable::FirstDomain + I, &Ours);
    T.Installed[I] = Any = true;
  }
  // The interpreter has room for few such functions.
  if (Any && !T.HasAtExit)
    T.HasAtExit = Self.AtExit(remove) == 0;
  Self.Ctl->Findings[wire::FS_PythonObjects].Code.store(
      uint32_t(wire::ObjectState::Recorded), std::memory_order_release);
  return 0;
}

/// Called after the interpreter has freed its objects. A program may start the
/// interpreter again.
void ObjectHooks::remove() {
  takeOut();
  Table.HasAtExit = false;
  ObjectHooks &Self = Python.objects();
  if (Self.AtExit)
    Self.Wanted.store(true, std::memory_order_release);
}
