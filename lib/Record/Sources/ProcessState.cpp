// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a recorded process: its sources of memory, and its scopes.

#include "Sources/ProcessState.h"
#include "Wire/Records.h"
#include "memkit/Trace/CensusNames.h"

using namespace llvm;
using namespace memkit;
using wire::RecordKind;

ProcessState::ProcessState(uint32_t Id, pid_t Pid, bool Forked,
                           std::unique_ptr<SharedProcess> S,
                           SharedSources &With)
    : Shared(std::move(S)), With(With), Sink(Id, Pid, Forked, *Shared, With.R),
      Scopes(*Shared, With.R, Id, With.R.times().nowNs()),
      Snapshots(Sink, With.R), Maps(Sink, Snapshots),
      Host(Sink, Snapshots, Maps, Scopes, With),
      Objects(Sink, Snapshots, Maps, Host, With), Failures(Sink, Pid),
      Numbers(Sink),
      Driver(Sink, Snapshots, Maps, {Scopes, Numbers, With.Uses, Failures}),
      Times(Sink, Scopes, Numbers), Devices(Sink, Scopes, Numbers),
      Segs(Sink, Snapshots, Driver, Devices),
      Torch(Sink, Snapshots, Scopes, Devices, Failures,
            {Maps, Host, Driver, Segs}),
      Nvtx(Sink, Snapshots, Scopes),
      Reported(Sink, Snapshots, Numbers, {Maps, Host, Driver}),
      Collected(Sink, Numbers, Scopes), Holders(Sink, Torch, Objects, Host),
      Said(Sink) {
  Sink.Log.AtEnd = [this] { Torch.finish(); };
  Sink.Log.AddScopes = [this](uint64_t NowNs, bool OnlyChanged,
                              std::vector<LayerStats> &Out) {
    Scopes.addStats(NowNs, OnlyChanged, Out);
  };
  Sink.Log.AddCategories = [this](CategoryTable &To) {
    Torch.addCategories(To);
  };
  Sink.Log.Categories.AddLive = [this] { Torch.addLiveCategories(); };
}

/// The memory of an ended process, or null.
static void *Spare;

void *ProcessState::operator new(size_t Bytes) {
  if (void *Kept = std::exchange(Spare, nullptr))
    return Kept;
  return ::operator new(Bytes);
}

void ProcessState::operator delete(void *P) {
  ::operator delete(std::exchange(Spare, P));
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void ProcessState::prefetchFirst(ArrayRef<MergedRecord> Records,
                                 const RingOfProcess *Of) {
  for (const MergedRecord &M : Records.take_front(Ahead))
    Of[M.Source].Process->prefetch(M.R);
}

void ProcessState::process(const wire::Record &Rec, uint32_t Ring) {
  if (Ring >= Orders.size())
    Orders.resize(Ring + 1);
  if (Orders[Ring].take(RecordKind(Rec.kind())) ==
      wire::RingOrder::Verdict::Alone)
    return Sink.bad();
  bool IsKnown = wire::visitRecord(Rec, [&](const auto &Typed) {
    dispatch(Typed, RecordOrigin{Rec.Tsc, Ring});
  });
  if (!IsKnown)
    Sink.bad();
}

template <class T>
concept ofExec = std::is_same_v<T, wire::ExecRecord> ||
                 std::is_same_v<T, wire::ExecFailedRecord> ||
                 std::is_same_v<T, wire::SpawnedRecord>;

template <class Source, class T>
concept takes = requires(Source &Of, const T &Rec, RecordOrigin From) {
  Of.take(Rec, From);
};

/// A new source adds a name to the list. A record that no source takes does not
/// compile, nor does one that two take.
template <class T>
void ProcessState::dispatch(const T &Rec, RecordOrigin From) {
  constexpr bool IsOwn = requires { this->take(Rec, From); };
  constexpr bool IsScope = requires { Scopes.take(Rec, ScopeOrigin()); };
  if constexpr (ofExec<T>)
    Sink.bad();
  else if constexpr (IsOwn)
    take(Rec, From);
  else if constexpr (IsScope)
    takeScope(Rec, From);
  auto Take = [&]<class... Sources>(Sources &...Of) {
    constexpr int Takers =
        ((int(ofExec<T>) + IsOwn + IsScope) + ... + int(takes<Sources, T>));
    static_assert(Takers == 1, "a record has one source");
    auto TakeOf = [&](auto &Source) {
      if constexpr (takes<decltype(Source), T>)
        Source.take(Rec, From);
    };
    (TakeOf(Of), ...);
  };
  Take(Host, Objects, Failures, Maps, Driver, Times, Torch, Devices, Segs, Nvtx,
       Holders, Said, Reported, Collected);
}

/// Whether the mark says that some blocks were not recorded.
static bool isSwitch(const wire::MarkRecord &Rec) {
  return Rec.What == wire::MarkWhat::On || Rec.What == wire::MarkWhat::Off;
}

template <class T>
void ProcessState::takeScope(const T &Rec, RecordOrigin From) {
  if constexpr (std::is_same_v<T, wire::MarkRecord>)
    Sink.HasUnknown |= isSwitch(Rec);
  // The scope that ends may belong to another ring.
  std::optional<uint32_t> Changed =
      Scopes.take(Rec, ScopeOrigin{From, Sink.threadOf(From.Ring)});
  if (!Changed)
    Sink.bad();
  uint32_t Ring = Changed.value_or(From.Ring);
  Sink.setScopePath(Ring, Scopes.scopePath(Ring), Sink.clockNs(From.Tsc));
  With.R.flushMarks();
  Sink.makeRoom();
}

void ProcessState::take(const wire::AskDetoursRecord &Rec, RecordOrigin) {
  DetourQuestion Q{id(), Rec.Slot, Rec.Ticket, ""};
  if (!Shared->text(Rec.Path, Q.Path))
    return Sink.bad();
  With.DetoursAsked.push_back(std::move(Q));
}

void ProcessState::take(const wire::ThreadStartRecord &Rec, RecordOrigin From) {
  releaseRing(From.Ring);
  if (!Sink.resumeThread(From.Ring, uint32_t(Rec.Tid), Rec.EndedRing))
    Sink.startThread(From.Ring, uint32_t(Rec.Tid));
}

void ProcessState::take(const wire::ThreadEndRecord &Rec, RecordOrigin From) {
  uint64_t TimeNs = Sink.clockNs(From.Tsc);
  Scopes.endRing(From.Ring, TimeNs);
  Sink.setScopePath(From.Ring, Scopes.scopePath(From.Ring), TimeNs);
  Maps.endThread(Rec, From);
}

void ProcessState::take(const wire::GeneratedLineRecord &Rec, RecordOrigin) {
  if (!Sink.stacks().generated().take(Rec))
    Sink.bad();
}

void ProcessState::releaseRing(uint32_t Ring) {
  Host.releaseRing(Ring);
  Objects.releaseRing(Ring);
  RingThread &S = Sink.ring(Ring);
  Scopes.endRing(Ring, Sink.lastNs());
  Sink.setScopePath(Ring, Scopes.scopePath(Ring), Sink.lastNs());
  S.Thread = 0;
  S.Epoch = 0;
}

void ProcessState::countLosses() {
  auto Count = [this](uint64_t Now, uint64_t &Seen, LossKind Kind) {
    // Ignore a counter that ran backwards.
    if (Now > Seen && Now - Seen < uint64_t(1) << 40)
      With.R.addLoss(id(), Kind, Now - Seen);
    Seen = std::max(Seen, Now);
  };
  wire::Control &C = Shared->control();
  Count(C.LostTableFull.load(std::memory_order_relaxed), TableFullSeen,
        LossKind::TableFull);
  Count(C.LostNoRing.load(std::memory_order_relaxed) +
            C.LostReentrant.load(std::memory_order_relaxed),
        NoRingSeen, LossKind::NoRing);
  for (uint32_t I = 0; I != rings().size(); ++I)
    Count(Shared->ringHeader(I).Lost.load(std::memory_order_relaxed),
          ring(I).LostSeen, LossKind::RingFull);
}

//===----------------------------------------------------------------------===//
// The recording
//===----------------------------------------------------------------------===//

void ProcessState::touch(ArrayRef<ResidentWalk::ReservedPages> Pages,
                         uint64_t Tsc, bool Exact) {
  if (!(Shared->control().Settings.Recording.load(std::memory_order_relaxed) &
        wire::RB_On))
    return;
  // What shrinks comes first: else the sum would be higher than ever.
  for (bool Grow : {false, true})
    for (const ResidentWalk::ReservedPages &P : Pages)
      Maps.touch({P.Begin, P.Id, P.Bytes, Grow, Exact}, Tsc);
}

/// A variable is a frame of its file; kinds of blocks are names alone.
uint32_t ProcessState::frameOf(const BlockGraph::HolderName &N) {
  Catalog &Names = With.R.names();
  if (N.File.empty())
    return Names.namedFrame(N.Name);
  Function F;
  F.Name = Names.Names.string(N.Name);
  F.File = Names.Names.string(N.File);
  return Names.frame({FrameKind::Python, Names.Names.function(F), 0});
}

/// The stack of a name of the census: the names above it, outermost first.
uint32_t ProcessState::stackOf(const Census &C, uint32_t Name) {
  if (AdoptedStacks.empty())
    AdoptedStacks.resize(C.Names.size());
  if (uint32_t Known = AdoptedStacks[Name])
    return Known;
  SmallVector<uint32_t> Frames;
  for (uint32_t N = Name; N; N = C.Names[N].Parent)
    Frames.push_back(frameOf(C.Names[N]));
  if (!C.IsAll)
    Frames.push_back(With.R.names().namedFrame(LivedBefore));
  std::reverse(Frames.begin(), Frames.end());
  return AdoptedStacks[Name] =
             With.R.names().stack(0, Frames, [](size_t, uint32_t) {}).Stack;
}

size_t ProcessState::adopt(const Census &C, size_t First, size_t Count,
                           uint64_t Tsc) {
  // Events are of a thread; that of the process if none is known.
  uint32_t Ring = 0;
  while (Ring != rings().size() && !rings()[Ring].Thread)
    ++Ring;
  if (Ring == rings().size()) {
    Sink.ring(Ring = 0);
    Sink.startThread(Ring, uint32_t(Sink.pid()));
  }
  RecordOrigin From{Tsc, Ring};
  const HeapChoice &Wanted = Sink.wanted();
  size_t End = std::min(C.Blocks.size(), First + Count);
  for (size_t I = First; I != End; ++I) {
    const Census::CountedBlock &B = C.Blocks[I];
    // A sample would stand for other blocks, too.
    if (B.Bytes < Wanted.MinSize || Wanted.SampleBytes || !wants(C, B.Owner))
      continue;
    uint32_t Stack = stackOf(C, B.Name);
    if (B.Owner >= FirstPrivateOwner)
      Reported.adopt(C.Private[B.Owner - FirstPrivateOwner].Name, B.Address,
                     B.Bytes, Stack, From);
    else if (B.Owner == PythonOwner)
      Objects.adopt(B.Address, B.Bytes, Stack, From);
    else
      Host.adopt(B.Address, B.Bytes, Stack, From);
    With.R.flushNames();
  }
  return End;
}

/// Whether the blocks of an owner are wanted. In a recording that follows,
/// those of a private allocator would stay for ever without its frees.
bool ProcessState::wants(const Census &C, uint8_t Owner) const {
  if (Owner < FirstPrivateOwner)
    return Sink.wanted().wants(HostHeapKind::Malloc);
  return Sink.wanted().Private &&
         (C.IsAll ||
          Reported.recordsFreesOf(C.Private[Owner - FirstPrivateOwner].Name));
}

void ProcessState::setRecording(bool On, uint64_t TimeNs) {
  std::atomic<uint32_t> &Bits = Shared->control().Settings.Recording;
  if (bool(Bits.load(std::memory_order_relaxed) & wire::RB_On) == On)
    return;
  if (On)
    Bits.fetch_or(wire::RB_On, std::memory_order_relaxed);
  else
    Bits.fetch_and(~uint32_t(wire::RB_On), std::memory_order_relaxed);
  expectUnknown();
  Mark M;
  M.Kind = On ? MarkKind::RecordOn : MarkKind::RecordOff;
  M.Process = id();
  M.TimeNs = std::max(TimeNs, Sink.lastNs());
  Sink.add(std::move(M));
}

void ProcessState::expectUnknown() {
  Sink.HasUnknown = true;
  Shared->control().Settings.Recording.fetch_or(wire::RB_SomeUnknown,
                                                std::memory_order_relaxed);
}
