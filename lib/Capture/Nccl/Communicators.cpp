// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of NCCL, by communicator.
//
// NCCL takes memory when it makes a communicator, and when a collective first
// needs a connection: in threads that it begins. While a function of NCCL runs,
// the thread's errand is the communicator, and what CUDA's driver gives it is
// in a scope of the communicator's name.

#include "Communicators.h"

#include "Runtime/Errand.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Thread.h"
#include "Stacks/RealFunction.h"
#include "Stacks/Stack.h"

#include <cstdio>
#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

namespace {
using NcclResult = int;
using Comm = void *;
struct UniqueId {
  char Bytes[128];
};

/// A communicator of the process. Children of fork keep it.
struct Communicator {
  std::atomic<Comm> Handle; ///< null: a free place; Claimed: being filled
  std::atomic<uint32_t> Number, Rank, Ranks;
  /// The number of the name's text, in the low half, and the low half of the
  /// epoch of the process whose texts have the number.
  std::atomic<uint64_t> Text;
};
constexpr uint32_t MaxCommunicators = 256, NotKnown = ~0u;

/// Open groups of the calling thread, and the text of what they work for.
struct NcclGroup {
  uint32_t Depth, Text;
};
} // namespace

static constinit Communicator All[MaxCommunicators]{};
static constinit std::atomic<uint32_t> NextNumber{0};
static __thread NcclGroup ThisGroup __attribute__((tls_model("initial-exec")));

static uint32_t textOf(uint32_t Number, uint32_t Rank, uint32_t Ranks) {
  char Text[80];
  int Size =
      Rank == NotKnown
          ? snprintf(Text, sizeof(Text), "NCCL communicator %u", Number)
          : snprintf(Text, sizeof(Text), "NCCL communicator %u (rank %u of %u)",
                     Number, Rank, Ranks);
  return Proc.Names.intern(Text, size_t(Size));
}

/// The name is made once in a process.
static uint32_t textOf(Communicator &C) {
  uint64_t Epoch = Proc.Epoch.load(std::memory_order_relaxed) << 32;
  uint64_t Is = C.Text.load(std::memory_order_relaxed);
  if (__builtin_expect(Is >> 32 != Epoch >> 32 || !uint32_t(Is), 0)) {
    Is = Epoch | textOf(C.Number, C.Rank, C.Ranks);
    C.Text.store(Is, std::memory_order_relaxed);
  }
  return uint32_t(Is);
}

static uint32_t textOf(Comm Handle) {
  for (Communicator &C : All)
    if (C.Handle.load(std::memory_order_acquire) == Handle)
      return textOf(C);
  static constexpr char Other[] = "NCCL communicator";
  return Proc.Names.intern(Other, sizeof(Other) - 1);
}

/// Threads may make communicators at once, each for its device.
static void add(Comm Handle, uint32_t Number, uint32_t Rank, uint32_t Ranks) {
  const Comm Claimed = All;
  if (!Handle)
    return;
  for (Communicator &C : All) {
    Comm Free = nullptr;
    if (!C.Handle.compare_exchange_strong(Free, Claimed))
      continue;
    C.Number = Number;
    C.Rank = Rank;
    C.Ranks = Ranks;
    C.Text = 0;
    C.Handle.store(Handle, std::memory_order_release);
    return;
  }
}

static void remove(Comm Handle) {
  for (Communicator &C : All)
    if (C.Handle.load(std::memory_order_relaxed) == Handle)
      C.Handle.store(nullptr, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Errands
//===----------------------------------------------------------------------===//

namespace {
/// While it lives, the thread works for what Text names. Text: called if the
/// process is recorded.
class WorkFor {
public:
  template <class F> explicit WorkFor(F Text) : Outer(ThisErrand) {
    ThreadState *T = recordingThread();
    if (!T || !isRecording())
      return;
    Quiet Q;
    ThisErrand = {Text(), 0, T->Epoch};
    if (ThisGroup.Depth && ThisErrand.Text)
      joinGroup(ThisErrand.Text);
  }
  ~WorkFor() { ThisErrand = Outer; }
  WorkFor(const WorkFor &) = delete;
  WorkFor &operator=(const WorkFor &) = delete;

private:
  /// In a group the work is done when the group ends.
  static void joinGroup(uint32_t Text) {
    static constexpr char Several[] = "NCCL, several communicators";
    ThisGroup.Text = !ThisGroup.Text || ThisGroup.Text == Text
                         ? Text
                         : Proc.Names.intern(Several, sizeof(Several) - 1);
  }

  Errand Outer;
};
} // namespace

static constexpr const char *Library = "libnccl.so.2";

#define MEMKIT_NCCL(NAME, PARAMETERS)                                          \
  using NAME##Fn = NcclResult PARAMETERS;                                      \
  static constinit RealFunction<NAME##Fn *> Real##NAME(Library, #NAME);        \
  MEMKIT_EXPORT NcclResult NAME PARAMETERS

//===----------------------------------------------------------------------===//
// Making communicators
//===----------------------------------------------------------------------===//

/// Calls \p Make, which makes a communicator at \p To.
template <class F>
static NcclResult make(Comm *To, uint32_t Rank, uint32_t Ranks, F Make) {
  uint32_t Number = NextNumber.fetch_add(1, std::memory_order_relaxed);
  WorkFor W([=] { return textOf(Number, Rank, Ranks); });
  NcclResult Is = Make();
  constexpr NcclResult Success = 0, InProgress = 7;
  if ((Is == Success || Is == InProgress) && To) {
    remove(*To); // of one that ended without a call
    add(*To, Number, Rank, Ranks);
  }
  return Is;
}

MEMKIT_NCCL(ncclCommInitRank, (Comm * To, int Ranks, UniqueId Id, int Rank)) {
  CallerFrame Caller = MEMKIT_CALLER;
  return make(To, uint32_t(Rank), uint32_t(Ranks), [&] {
    return RealncclCommInitRank.get(Caller.Pc)(To, Ranks, Id, Rank);
  });
}

MEMKIT_NCCL(ncclCommInitRankConfig,
            (Comm * To, int Ranks, UniqueId Id, int Rank, void *Config)) {
  CallerFrame Caller = MEMKIT_CALLER;
  return make(To, uint32_t(Rank), uint32_t(Ranks), [&] {
    return RealncclCommInitRankConfig.get(Caller.Pc)(To, Ranks, Id, Rank,
                                                     Config);
  });
}

MEMKIT_NCCL(ncclCommInitRankScalable,
            (Comm * To, int Ranks, int Rank, int NumIds, UniqueId *Ids,
             void *Config)) {
  CallerFrame Caller = MEMKIT_CALLER;
  return make(To, uint32_t(Rank), uint32_t(Ranks), [&] {
    return RealncclCommInitRankScalable.get(Caller.Pc)(To, Ranks, Rank, NumIds,
                                                       Ids, Config);
  });
}

MEMKIT_NCCL(ncclCommSplit,
            (Comm Of, int Color, int Key, Comm *To, void *Config)) {
  CallerFrame Caller = MEMKIT_CALLER;
  return make(To, NotKnown, NotKnown, [&] {
    return RealncclCommSplit.get(Caller.Pc)(Of, Color, Key, To, Config);
  });
}

/// One communicator for each device of the process.
MEMKIT_NCCL(ncclCommInitAll, (Comm * To, int Count, const int *Devices)) {
  CallerFrame Caller = MEMKIT_CALLER;
  static constexpr char Text[] = "NCCL communicators of all devices";
  WorkFor W([] { return Proc.Names.intern(Text, sizeof(Text) - 1); });
  NcclResult Is = RealncclCommInitAll.get(Caller.Pc)(To, Count, Devices);
  for (int I = 0; Is == 0 && To && I < Count; ++I)
    add(To[I], NextNumber.fetch_add(1, std::memory_order_relaxed), uint32_t(I),
        uint32_t(Count));
  return Is;
}

MEMKIT_NCCL(ncclCommDestroy, (Comm Of)) {
  CallerFrame Caller = MEMKIT_CALLER;
  remove(Of);
  return RealncclCommDestroy.get(Caller.Pc)(Of);
}

MEMKIT_NCCL(ncclCommAbort, (Comm Of)) {
  CallerFrame Caller = MEMKIT_CALLER;
  remove(Of);
  return RealncclCommAbort.get(Caller.Pc)(Of);
}

MEMKIT_NCCL(ncclMemAlloc, (void **To, size_t Bytes)) {
  CallerFrame Caller = MEMKIT_CALLER;
  static constexpr char Text[] = "NCCL memory of the program";
  WorkFor W([] { return Proc.Names.intern(Text, sizeof(Text) - 1); });
  return RealncclMemAlloc.get(Caller.Pc)(To, Bytes);
}

//===----------------------------------------------------------------------===//
// Use of communicators
//===----------------------------------------------------------------------===//

MEMKIT_NCCL(ncclGroupStart, ()) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (!ThisGroup.Depth++)
    ThisGroup.Text = 0;
  return RealncclGroupStart.get(Caller.Pc)();
}

MEMKIT_NCCL(ncclGroupEnd, ()) {
  CallerFrame Caller = MEMKIT_CALLER;
  if (ThisGroup.Depth)
    --ThisGroup.Depth;
  WorkFor W([] { return ThisGroup.Text; });
  return RealncclGroupEnd.get(Caller.Pc)();
}

#define MEMKIT_COLLECTIVE(NAME, PARAMETERS, ARGUMENTS)                         \
  MEMKIT_NCCL(NAME, PARAMETERS) {                                              \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    WorkFor W([&] { return textOf(Of); });                                     \
    return Real##NAME.get(Caller.Pc) ARGUMENTS;                                \
  }

MEMKIT_COLLECTIVE(ncclAllReduce,
                  (const void *From, void *To, size_t Count, int Type, int Op,
                   Comm Of, void *Stream),
                  (From, To, Count, Type, Op, Of, Stream))
MEMKIT_COLLECTIVE(ncclReduce,
                  (const void *From, void *To, size_t Count, int Type, int Op,
                   int Root, Comm Of, void *Stream),
                  (From, To, Count, Type, Op, Root, Of, Stream))
MEMKIT_COLLECTIVE(ncclBroadcast,
                  (const void *From, void *To, size_t Count, int Type, int Root,
                   Comm Of, void *Stream),
                  (From, To, Count, Type, Root, Of, Stream))
MEMKIT_COLLECTIVE(ncclBcast,
                  (void *At, size_t Count, int Type, int Root, Comm Of,
                   void *Stream),
                  (At, Count, Type, Root, Of, Stream))
MEMKIT_COLLECTIVE(ncclAllGather,
                  (const void *From, void *To, size_t Count, int Type, Comm Of,
                   void *Stream),
                  (From, To, Count, Type, Of, Stream))
MEMKIT_COLLECTIVE(ncclReduceScatter,
                  (const void *From, void *To, size_t Count, int Type, int Op,
                   Comm Of, void *Stream),
                  (From, To, Count, Type, Op, Of, Stream))
MEMKIT_COLLECTIVE(ncclSend,
                  (const void *From, size_t Count, int Type, int Peer, Comm Of,
                   void *Stream),
                  (From, Count, Type, Peer, Of, Stream))
MEMKIT_COLLECTIVE(ncclRecv,
                  (void *To, size_t Count, int Type, int Peer, Comm Of,
                   void *Stream),
                  (To, Count, Type, Peer, Of, Stream))

//===----------------------------------------------------------------------===//
// In a program that runs already
//===----------------------------------------------------------------------===//

static const FrameworkHook NcclHooks[] = {{Library, "ncclCommInitRank"},
                                          {Library, "ncclCommInitRankConfig"},
                                          {Library, "ncclCommInitRankScalable"},
                                          {Library, "ncclCommSplit"},
                                          {Library, "ncclCommInitAll"},
                                          {Library, "ncclCommDestroy"},
                                          {Library, "ncclCommAbort"},
                                          {Library, "ncclMemAlloc"},
                                          {Library, "ncclGroupStart"},
                                          {Library, "ncclGroupEnd"},
                                          {Library, "ncclAllReduce"},
                                          {Library, "ncclReduce"},
                                          {Library, "ncclBroadcast"},
                                          {Library, "ncclBcast"},
                                          {Library, "ncclAllGather"},
                                          {Library, "ncclReduceScatter"},
                                          {Library, "ncclSend"},
                                          {Library, "ncclRecv"},
                                          {}};

constinit const Source capture::NcclSource = {.FrameworkHooks = NcclHooks};
