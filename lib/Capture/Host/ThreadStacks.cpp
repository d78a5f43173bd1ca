// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hook of pthread_create.
//
// Records the stacks of threads. glibc maps stacks without memkit's hooks, and
// keeps a stack for the next thread. So a stack is a block from the thread's
// first instruction to its last, with the call stack of pthread_create.
//
// The new thread starts in a function of this file, which reads the thread's
// function from a slot filled by the creator, and jumps to the thread's
// function: no frame of memkit's stays.

#include "Maps.h"
#include "Real.h"
#include "Runtime/Errand.h"
#include "Runtime/Symbols.h"
#include "Stacks/InterpreterFrames.h"
#include "Stacks/State.h"

#include <cerrno>
#include <pthread.h>

using namespace memkit;
using namespace memkit::capture;

namespace {
using StartFn = void *(void *);

struct Start {
  std::atomic<uint32_t> Taken;
  StartFn *Fn;
  void *Arg;
  uint64_t Bytes; ///< of the stack; 0: not recorded
  uint64_t Epoch; ///< of the process of Node
  uint32_t Node;
  Errand For; ///< of the new thread
};
} // namespace

/// Threads that are starting. More threads at a time have no block.
static constinit Start Starts[256]{};

static Start *takeSlot() {
  for (Start &S : Starts)
    if (!S.Taken.load(std::memory_order_relaxed) &&
        !S.Taken.exchange(1, std::memory_order_acquire))
      return &S;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// In the new thread
//===----------------------------------------------------------------------===//

/// The thread's descriptor from glibc is in the last page of the stack.
static void recordOwnStack(uint64_t Bytes, uint32_t Node, uint64_t Epoch) {
  uintptr_t Top = (uintptr_t(pthread_self()) & ~(PageBytes - 1)) + PageBytes;
  uintptr_t Here = uintptr_t(__builtin_frame_address(0));
  uintptr_t Low = Top - Bytes;
  if (Here < Low || Here >= Top)
    return;
  ThreadState *T = recordingThread();
  if (!T || T->Epoch != Epoch || !hasRoom(*T))
    return;
  T->StackLow = Low;
  T->StackBytes = Bytes;
  T->Ring.write(wire::MapRecord{Low, MapClass::Stack, Bytes,
                                AllocFunction::PthreadCreate, Node});
}

static void *begin(void *Slot) {
  Start &S = *static_cast<Start *>(Slot);
  StartFn *Fn = S.Fn;
  void *Arg = S.Arg;
  uint64_t Bytes = S.Bytes, Epoch = S.Epoch;
  uint32_t Node = S.Node;
  ThisErrand = S.For;
  S.Taken.store(0, std::memory_order_release);
  if (Bytes)
    recordOwnStack(Bytes, Node, Epoch);
  return Fn(Arg);
}

//===----------------------------------------------------------------------===//
// In the creator
//===----------------------------------------------------------------------===//

static struct {
  int (*Create)(pthread_t *, const pthread_attr_t *, StartFn *, void *);
  int (*GetStack)(const pthread_attr_t *, void **, size_t *);
  int (*GetDefault)(pthread_attr_t *);
  int (*Destroy)(pthread_attr_t *);
} RealThreads;

template <typename Fn> static void find(Fn *&To, const char *Name) {
  if (!To)
    To = reinterpret_cast<Fn *>(nextSymbol(Name));
}

static bool findThreadFunctions() {
  if (!RealThreads.Create) {
    find(RealThreads.GetStack, "pthread_attr_getstack");
    find(RealThreads.GetDefault, "pthread_getattr_default_np");
    find(RealThreads.Destroy, "pthread_attr_destroy");
    find(RealThreads.Create, "pthread_create");
  }
  return RealThreads.Create;
}

/// The stack size of a thread with \p A; 0: unknown, or the program provides
/// the stack, whose memory is counted at its source.
static uint64_t stackBytes(const pthread_attr_t *A) {
  void *At;
  size_t Bytes = 0;
  if (!RealThreads.GetStack || !RealThreads.GetDefault || !RealThreads.Destroy)
    return 0;
  if (A) {
    if (RealThreads.GetStack(A, &At, &Bytes) || uintptr_t(At) + Bytes != 0)
      return 0;
    if (Bytes)
      return roundToPages(Bytes);
  }
  pthread_attr_t Default;
  if (RealThreads.GetDefault(&Default))
    return 0;
  if (RealThreads.GetStack(&Default, &At, &Bytes))
    Bytes = 0;
  RealThreads.Destroy(&Default);
  return roundToPages(Bytes);
}

/// What a thread that is created at \p Caller works for: the creator's errand;
/// or, for a thread of the interpreter's, the frames that start it. An
/// interpreter takes memory for a thread's frames before there is a frame.
static Errand errandOfNew(const CallerFrame &Caller) {
  bool HasOwn = ThisErrand.Text != 0;
  if (!HasOwn && !(Stacks.HasInterpreter.load(std::memory_order_acquire) &&
                   interpreter::isThreadStart(Caller.Pc)))
    return {};
  ThreadState *T = recordingThread();
  if (!T)
    return {};
  Errand For = HasOwn ? ThisErrand : Errand{0, 0, T->Epoch};
  if (!For.Python)
    For.Python = interpreterNode(*T, Caller);
  return For;
}

MEMKIT_EXPORT int pthread_create(pthread_t *To, const pthread_attr_t *A,
                                 StartFn *Fn, void *Arg) noexcept {
  CallerFrame Caller = MEMKIT_CALLER;
  if (!findThreadFunctions())
    return EAGAIN;
  ThreadState *T = mappingThread(wire::HB_Stacks);
  uint64_t Bytes = T && isRecording() ? stackBytes(A) : 0;
  Errand For = errandOfNew(Caller);
  Start *S = Bytes || For.Text || For.Python ? takeSlot() : nullptr;
  if (!S)
    return RealThreads.Create(To, A, Fn, Arg);
  S->Fn = Fn;
  S->Arg = Arg;
  S->Bytes = Bytes;
  S->Epoch = T ? T->Epoch : 0;
  S->Node = Bytes ? stackNode(*T, Caller) : 0;
  S->For = For;
  int Error = RealThreads.Create(To, A, begin, S);
  if (Error)
    S->Taken.store(0, std::memory_order_release);
  return Error;
}
