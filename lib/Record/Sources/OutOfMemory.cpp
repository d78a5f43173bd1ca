// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The out-of-memory events of a process, whoever had no memory.

#include "Sources/OutOfMemory.h"
#include "Sources/EventSink.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;
using wire::AllocFunction;

/// An allocator frees its caches and tries again within this time.
static constexpr uint64_t LongestRetryNs = 250'000'000;

static bool isOfPages(AllocFunction F) {
  return F == AllocFunction::Mmap || F == AllocFunction::Mremap;
}

void OutOfMemory::take(const wire::HostOomRecord &Rec, RecordOrigin From) {
  if (uint8_t(Rec.Function) >= wire::NumAllocFunctions)
    return Sink.bad();
  bool OfPages = isOfPages(Rec.Function);
  Mark M = Sink.markOf(MarkKind::Oom, From);
  M.Heap =
      Sink.heaps().host(OfPages ? HostHeapKind::Mmap : HostHeapKind::Malloc);
  M.Stack = Sink.stacks().stack(Rec.Stack, uint8_t(Rec.Function));
  M.ScopePath = Sink.ring(From.Ring).ScopePath;
  M.Values = {Rec.Requested, Sink.stats().heapLiveBytes(M.Heap), 0};
  failed(OfPages ? Allocator::Pages : Allocator::Malloc, std::move(M),
         From.Ring);
}

/// The stats of each heap. The reserved bytes that the allocator reports with
/// its failure are the newest.
static std::vector<OomHeap> heapsAt(const Mark &Oom, const LiveStats &Stats) {
  std::vector<OomHeap> Out;
  for (uint32_t Heap = 1; Stats.hasHeap(Heap); ++Heap) {
    HeapStats T = Stats.heapStats(Heap);
    OomHeap H;
    H.Heap = Heap;
    H.LiveBlocks = Stats.heapLiveBlocks(Heap);
    H.LiveBytes = Stats.heapLiveBytes(Heap);
    bool Says = Heap == Oom.Heap && Oom.Values[2];
    H.ReservedKnown = T.ReservedKnown || Says;
    H.ReservedBytes = Says ? Oom.Values[2] : T.ReservedBytes;
    if (H.LiveBlocks || H.ReservedBytes || Heap == Oom.Heap)
      Out.push_back(H);
  }
  return Out;
}

/// A program may run out of memory very often: after the first looks, list the
/// memory again only after enough new events.
bool OutOfMemory::isWorthALook() const {
  constexpr unsigned FreeLooks = 16;
  return (NumLooks < FreeLooks ||
          Sink.stats().events(Sink.process()) >= NextLook) &&
         Sink.ooms().hasRoom(Sink.process());
}

OomLog::OomTimePoint OutOfMemory::look(const Mark &M) {
  OomLog::OomTimePoint At;
  At.What.Process = Sink.process();
  At.What.Heap = M.Heap;
  At.What.Thread = M.Thread;
  At.What.TimeNs = M.TimeNs;
  At.What.Stack = M.Stack;
  At.What.ScopePath = M.ScopePath;
  At.What.Requested = M.Values[0];
  At.Heaps = heapsAt(M, Sink.stats());
  if (ListTensors)
    ListTensors(At);
  uint64_t Tensors = 0;
  for (const CategoryStats &K : At.Categories)
    Tensors += K.Blocks;
  NextLook = Sink.stats().events(Sink.process()) + 64 + Tensors / 16;
  ++NumLooks;
  return At;
}

static void setLimit(OomRecord &To, const MetLimit &L) {
  To.Limit = L.Kind;
  To.LimitBytes = L.Bytes;
  To.FreeKnown = L.Free.has_value();
  To.FreeBytes = L.Free.value_or(0);
}

/// Whether a request of the driver is the next try of one that failed: BFC
/// allocators (TensorFlow, XLA) ask for a tenth less each time.
bool OutOfMemory::isNextTry(const WaitingFailure &W, Allocator By,
                            uint64_t Size) {
  uint64_t Requested = W.What.What.Requested;
  return W.By == Allocator::Driver && By == Allocator::Driver &&
         Size >= Requested / 2 && Size <= Requested;
}

void OutOfMemory::failed(Allocator By, Mark M, uint32_t Ring) {
  auto Inner =
      find_if(Waiting, [=](const WaitingFailure &W) { return W.Ring == Ring; });
  if (Inner != Waiting.end() && isNextTry(*Inner, By, M.Values[0]))
    return Sink.add(std::move(M));
  bool IsSame = Inner != Waiting.end() && Inner->By < By;
  if (Inner != Waiting.end()) {
    if (!IsSame)
      Sink.addOom(std::move(Inner->What));
    Waiting.erase(Inner);
  }
  if (!IsSame && !isWorthALook()) {
    Sink.ooms().skip(Sink.process());
    return Sink.add(std::move(M));
  }
  OomLog::OomTimePoint At = look(M);
  bool OfHost = Sink.stats().isOfHost(M.Heap);
  if (OfHost)
    setLimit(At.What, limitMet(readHostUse(Pid, AtStart), M.Values[0]));
  else if (M.Values.size() > 3)
    setLimit(At.What, {LimitKind::Device, 0, M.Values[3]});
  else
    At.What.Limit = LimitKind::Device;
  Sink.add(std::move(M));
  if (By == Allocator::Tensors)
    Sink.addOom(std::move(At));
  else
    Waiting.push_back({std::move(At), By, Ring});
}

void OutOfMemory::forget(uint32_t Ring, uint64_t Size) {
  erase_if(Waiting, [=](const WaitingFailure &W) {
    return W.Ring == Ring && isNextTry(W, Allocator::Driver, Size);
  });
}

void OutOfMemory::endWaits(bool All) {
  uint64_t NowNs = Sink.lastNs();
  for (WaitingFailure &W : Waiting)
    if (All || NowNs >= W.What.What.TimeNs + LongestRetryNs) {
      Sink.addOom(std::move(W.What));
      W.Ring = ~0u;
    }
  erase_if(Waiting, [](const WaitingFailure &W) { return W.Ring == ~0u; });
}

/// The host's heap with the most bytes.
static uint32_t largestHeap(const LiveStats &Stats) {
  uint32_t Largest = 1;
  for (uint32_t Heap = 1; Stats.hasHeap(Heap); ++Heap)
    if (Stats.isOfHost(Heap) &&
        Stats.heapLiveBytes(Heap) > Stats.heapLiveBytes(Largest))
      Largest = Heap;
  return Largest;
}

void OutOfMemory::killed(uint64_t AtNs, const MetLimit &Limit) {
  endWaits(true);
  Mark M;
  M.Kind = MarkKind::Oom;
  M.Process = Sink.process();
  M.TimeNs = AtNs;
  M.Heap = largestHeap(Sink.stats());
  M.Values = {0, Sink.stats().heapLiveBytes(M.Heap), 0};
  if (Sink.ooms().hasRoom(Sink.process())) {
    OomLog::OomTimePoint At = look(M);
    At.What.Kind = OomKind::Killed;
    setLimit(At.What, Limit);
    Sink.addOom(std::move(At));
  }
  Sink.add(std::move(M));
}
