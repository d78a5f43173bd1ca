// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions to which the detours of private allocators lead.
//
// A function of an allocator may call another one: the outer call is the one
// that the program has made, and is recorded. A call is an inner one while its
// frame lies below the frame of a recorded call that runs. A C++ exception may
// leave a call, which then does not return: the hooks have a personality
// routine, which the unwinder calls.

#include "PrivateBlocks.h"

#include "TestScopes.h"

#include "Host/Sampling.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using wire::DetourTask;

namespace {
/// The recorded call of a thread, and the inner ones.
struct RunningCalls {
  uintptr_t Sp;    ///< of the recorded call's caller; 0: no such call runs
  uint32_t Inside; ///< inner calls that run
};
} // namespace
static __thread RunningCalls Running __attribute__((tls_model("initial-exec")));

static void endCall() {
  if (Running.Inside)
    --Running.Inside;
  else
    Running.Sp = 0;
}

namespace {
/// A call that is recorded, unless an outer one is.
class RecordedCall {
public:
  explicit RecordedCall(const CallerFrame &Caller)
      : IsInner(Caller.Sp < Running.Sp) {
    // A call further out: longjmp has left the one of before.
    Running = IsInner ? RunningCalls{Running.Sp, Running.Inside + 1}
                      : RunningCalls{Caller.Sp, 0};
  }
  ~RecordedCall() { endCall(); }
  const bool IsInner;
};

/// The arguments of a call.
struct CallArguments {
  uintptr_t A[5];

  uintptr_t block(const wire::DetourCall &C) const { return A[C.Block]; }
  /// The bytes that the call asks for.
  size_t size(const wire::DetourCall &C) const {
    size_t Size = A[C.Size], All;
    if (C.Count == wire::DetourCall::None)
      return Size;
    return __builtin_mul_overflow(Size, A[C.Count], &All) ? SIZE_MAX : All;
  }
  uintptr_t pass(const DetouredFunction &F) const {
    using FiveArguments =
        uintptr_t (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    return reinterpret_cast<FiveArguments>(F.Original)(A[0], A[1], A[2], A[3],
                                                       A[4]);
  }
};
} // namespace

/// The number of the heap's name in this process; 0: no room for names.
static uint32_t textOf(PrivateHeap &H) {
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_relaxed);
  uint64_t Known = H.Text.load(std::memory_order_relaxed);
  if (Known >> 32 == uint32_t(Epoch))
    return uint32_t(Known);
  uint32_t Text = Proc.Names.intern(H.Name, strlen(H.Name));
  H.Text.store(Epoch << 32 | Text, std::memory_order_relaxed);
  return Text;
}

/// A private block among the addresses of sampled blocks, which the hooks of
/// the C library's functions look up, too: no block of theirs is odd.
static void *sampleOf(uintptr_t Block) {
  return reinterpret_cast<void *>(Block | 1);
}

/// Whether a block is recorded: all blocks are from the least size on, or
/// samples.
static bool isWanted(ThreadState &T, uintptr_t Block, size_t Size) {
  if (__builtin_expect(Sampling.IsOn, 0))
    return takeSample(T, sampleOf(Block), Size, isRecording());
  return isRecording() && Size >= Proc.Ctl->Settings.MinSize;
}

/// Whether a block that ends may have a record.
static bool endsRecord(uintptr_t Block) {
  return __builtin_expect(!Sampling.IsOn, 1) ||
         Sampling.Blocks.remove(sampleOf(Block));
}

static void recordBlock(const DetouredFunction &F, uintptr_t Block, size_t Size,
                        const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T || !isWanted(*T, Block, Size))
    return;
  uint32_t Heap = textOf(*F.Heap);
  uint32_t Stack = stackNode(*T, Caller);
  if (Heap && T->Epoch == Proc.Epoch.load(std::memory_order_relaxed) &&
      hasRoom(*T))
    T->Ring.write(wire::PrivateAllocateRecord{Block, Size, Stack, Heap});
}

static void recordEnd(const DetouredFunction &F, uintptr_t Block) {
  ThreadState *T = recordingThread();
  if (!T || !endsRecord(Block))
    return;
  uint32_t Heap = textOf(*F.Heap);
  if (Heap && hasRoom(*T))
    // The clock is read before the free takes effect, in any case.
    T->Ring.write(wire::PrivateFreeRecord{Block, Heap},
                  RingWriter::ClockRead::Early);
}

/// False: the begin is not recorded.
static bool recordResizeBegin(const DetouredFunction &F, uintptr_t Block) {
  ThreadState *T = recordingThread();
  if (!T)
    return false;
  if (!isRecording()) { // While recording is off, record the end alone.
    recordEnd(F, Block);
    return false;
  }
  if (!endsRecord(Block))
    return false;
  uint32_t Heap = textOf(*F.Heap);
  if (!Heap || !hasRoom(*T))
    return false;
  T->Ring.write(wire::PrivateResizeBeginRecord{Block, Heap});
  return true;
}

/// Block 0: the call failed, and Old stays. The margin of the ring has room for
/// the record.
static void recordResizeEnd(const DetouredFunction &F, uintptr_t Old,
                            uintptr_t Block, size_t Size,
                            const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  if (!T)
    return;
  if (__builtin_expect(Sampling.IsOn, 0)) {
    if (!Block)
      Sampling.Blocks.insert(sampleOf(Old));
    else if (!isWanted(*T, Block, Size))
      Block = wire::Unrecorded;
  }
  bool HasBlock = Block && Block != wire::Unrecorded;
  uint32_t Heap = textOf(*F.Heap);
  uint32_t Stack = HasBlock ? stackNode(*T, Caller) : 0;
  if (T->Epoch == Proc.Epoch.load(std::memory_order_relaxed))
    T->Ring.write(
        wire::PrivateResizeEndRecord{Block, Block ? Size : 0, Stack, Heap});
}

/// Tells the hooks further out, as that of operator new, which calls an
/// executable's own malloc.
static void decide(uintptr_t Block) { ThisThread.LastAllocation = Block; }

/// Whether a hook of the C library's functions has recorded the block, or
/// passed it over: an executable's own malloc may only count, and call the next
/// malloc.
static bool isDecidedBelow(uintptr_t Block) {
  return ThisThread.LastAllocation == Block ||
         ThisThread.LastAllocation == PassedOver;
}

static uintptr_t allocate(const CallArguments &With, const DetouredFunction &F,
                          const CallerFrame &Caller) {
  RecordedCall Call(Caller);
  ThisThread.LastAllocation = 0;
  uintptr_t Result = With.pass(F);
  if (Call.IsInner)
    return Result;
  uintptr_t Block = Result;
  if (F.Call.Task == DetourTask::AllocateTo)
    Block = int(Result) == 0
                ? *reinterpret_cast<uintptr_t *>(With.block(F.Call))
                : 0;
  if (!Block || isDecidedBelow(Block))
    return Result;
  size_t Size = F.Call.Task == DetourTask::AllocateText
                    ? strlen(reinterpret_cast<const char *>(Block)) + 1
                    : With.size(F.Call);
  recordBlock(F, Block, Size, Caller);
  decide(Block);
  return Result;
}

static uintptr_t resize(const CallArguments &With, const DetouredFunction &F,
                        const CallerFrame &Caller) {
  uintptr_t Old = With.block(F.Call);
  if (!Old)
    return allocate(With, F, Caller);
  RecordedCall Call(Caller);
  if (Call.IsInner)
    return With.pass(F);
  bool Begun = recordResizeBegin(F, Old);
  ThisThread.LastAllocation = 0;
  uintptr_t Result = With.pass(F), Block = Result;
  size_t Size = With.size(F.Call);
  if (F.Call.Task == DetourTask::ResizeInPlace) {
    Block = Old;
    Size = Result;
  }
  if (isDecidedBelow(Block))
    Block = 0;
  if (Begun)
    recordResizeEnd(F, Old, Block, Size, Caller);
  else if (Block)
    recordBlock(F, Block, Size, Caller);
  if (Block)
    decide(Block);
  return Result;
}

static uintptr_t end(const CallArguments &With, const DetouredFunction &F,
                     const CallerFrame &Caller) {
  RecordedCall Call(Caller);
  if (!Call.IsInner && With.block(F.Call))
    recordEnd(F, With.block(F.Call));
  return With.pass(F);
}

static uintptr_t runTest(const CallArguments &With, const DetouredFunction &F,
                         const CallerFrame &Caller) {
  uint64_t Scope = beginTest(With.block(F.Call), Caller);
  uintptr_t Result = With.pass(F);
  endTest(Scope);
  return Result;
}

/// The personality routine of the hooks: what the unwinder calls for a frame
/// that an exception leaves, first to ask for a handler, then (Actions has bit
/// 1) to leave it. Goes on to the next frame.
extern "C" __attribute__((visibility("hidden"), used)) int
memrecLeaveCall(int, int Actions, uint64_t, void *, void *) {
  constexpr int CleanupPhase = 2, ContinueUnwind = 8;
  if (Actions & CleanupPhase)
    endCall();
  return ContinueUnwind;
}

/// A hook, with the frame of the caller of the function with the detour.
template <uintptr_t (*Do)(const CallArguments &, const DetouredFunction &,
                          const CallerFrame &)>
static uintptr_t hook(uintptr_t A, uintptr_t B, uintptr_t C, uintptr_t D,
                      uintptr_t E, const DetouredFunction *F) {
  // 0x1b: four bytes, the distance to the routine.
  asm volatile(".cfi_personality 0x1b, memrecLeaveCall");
  CallerFrame Caller = MEMKIT_CALLER;
  return Do({{A, B, C, D, E}}, *F, Caller);
}

uintptr_t capture::hookOf(DetourTask Task) {
  switch (Task) {
  case DetourTask::Allocate:
  case DetourTask::AllocateText:
  case DetourTask::AllocateTo:
    return uintptr_t(&hook<allocate>);
  case DetourTask::Resize:
  case DetourTask::ResizeInPlace:
    return uintptr_t(&hook<resize>);
  case DetourTask::Free:
    return uintptr_t(&hook<end>);
  case DetourTask::RunTest:
    return uintptr_t(&hook<runTest>);
  }
  return 0;
}
