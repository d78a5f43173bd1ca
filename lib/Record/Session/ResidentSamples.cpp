// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of what the resident memory of processes consists of.

#include "Session/ResidentSamples.h"
#include "Session/SampleInterval.h"
#include "llvm/ADT/STLExtras.h"
#include <ctime>

using namespace llvm;
using namespace memkit;

/// The reciprocal of the share of a processor that samples may take. A short
/// run may take GraceNs more.
static constexpr uint64_t ResidentTimeShare = 200, GraceNs = 30'000'000;
/// The recorder's thread walks tables for so long at a time.
static constexpr uint64_t WalkStepNs = 200000;
/// Pieces of a sample in the trace.
static constexpr size_t MaxArenas = 16, MaxMappings = 24;

static uint64_t recorderNs() {
  timespec T = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

bool ResidentSamples::isDue(const ChildProcess &P, uint64_t Now) const {
  const ChildSamples &S = P.Samples;
  if (!S.LastRss || P.Exit.IsEnding)
    return false;
  // The first sample waits for the start of the program.
  constexpr uint64_t FirstNs = 20'000'000;
  if (Now < P.StartNs + FirstNs)
    return false;
  return Now >= S.NextResidentNs || S.LastRss > S.RssOfResident / 20 * 21;
}

/// The process whose last sample is the oldest of those that are due.
ChildProcess *ResidentSamples::next(uint64_t Now) {
  ChildProcess *Next = nullptr;
  for (ChildProcess &P : Children.recorded())
    if (isDue(P, Now) &&
        (!Next || P.Samples.NextResidentNs < Next->Samples.NextResidentNs))
      Next = &P;
  return Next;
}

void ResidentSamples::pass(uint64_t Time) {
  if (!O.SampleIntervalNs)
    return;
  switch (Now) {
  case Phase::Idle:
    if (AllTookNs <= GraceNs + Time / ResidentTimeShare)
      if (ChildProcess *P = next(Time))
        start(*P, Time);
    return;
  case Phase::Reading:
    if (std::optional<uint64_t> Ns = Thread.takeDone()) {
      TookNs += *Ns;
      beginWalk();
    }
    return;
  case Phase::Walking:
    return walk();
  case Phase::Summing:
    if (std::optional<uint64_t> Ns = Thread.takeDone()) {
      TookNs += *Ns;
      write(Time);
      end();
    }
    return;
  }
}

void ResidentSamples::start(ChildProcess &P, uint64_t Time) {
  ChildSamples &S = P.Samples;
  constexpr unsigned Rarer = 10; // than RSS
  // As for RSS, a sample earlier in the life of a process.
  uint64_t Age = Time - std::min(P.StartNs, Time);
  S.NextResidentNs =
      Time + std::min(Age, stretchedInterval(O.SampleIntervalNs * Rarer,
                                             S.ResidentCount++ * 16));
  S.RssOfResident = S.LastRss;
  Process = P.Process;
  Inherits = P.IsForked;
  bool MayShare = P.IsForked || any_of(Children, [&](const ChildProcess &C) {
                    return C.Parent == P.Process && C.IsForked && !C.EndNs;
                  });
  TookNs = 0;
  Now = Phase::Reading;
  Thread.start([this, Pid = P.Pid, MayShare] {
    Pages = ResidentPages::read(Pid, Tag, MayShare);
  });
}

void ResidentSamples::beginWalk() {
  if (!Pages)
    return end();
  Walk.emplace(std::move(*Pages), Inherits);
  Walk->setLive(R.Stats.liveBytesOf(Process, R.Heaps.malloc()),
                O.SampleBytes != 0);
  Pages.reset();
  Shard = 0;
  Now = Phase::Walking;
}

/// Adds the blocks of some shards; after the last shard the mappings.
void ResidentSamples::walk() {
  ChildProcess *P = Children.find(Process);
  if (!P || !P->isRecorded() || P->Exit.IsEnding)
    return end();
  const ProcessState &S = *P->State;
  uint64_t Begin = recorderNs(), Ns = 0;
  constexpr unsigned NumShards = LiveTable::NumShards;
  for (; Shard != 2 * NumShards && Ns < WalkStepNs; Ns = recorderNs() - Begin) {
    bool IsObjects = Shard >= NumShards;
    const LiveTable &Of = IsObjects ? S.objects().table() : S.host().table();
    Of.forEachInShard(Shard % NumShards,
                      [&](const LiveEntry &E, uint64_t Address) {
                        if (IsObjects)
                          return Walk->addObject(Address, E);
                        Walk->addBlock(Address, E);
                      });
    ++Shard;
  }
  TookNs += Ns;
  if (Shard != 2 * NumShards)
    return;
  for (const auto &[At, B] : S.mappings().blocks())
    Walk->addMapping(At, B.End, B.Class, B.Entry.Row);
  addOwn(P->State->shared().control());
  Now = Phase::Summing;
  Thread.start([this] { Walk->finish(); });
}

/// Adds what memrec's library has mapped; the program may write anything there.
void ResidentSamples::addOwn(const wire::Control &C) {
  for (const wire::OwnRange &R : C.Own) {
    uint64_t Bytes = R.Bytes.load(std::memory_order_acquire),
             Begin = R.Begin.load(std::memory_order_relaxed);
    if (Bytes && Begin + Bytes > Begin)
      Walk->addOwn(Begin, Begin + Bytes);
  }
}

/// Whether malloc may hold live blocks that the trace does not know.
static bool hasUnknownBlocks(const RecordOptions &O, const Recording &R,
                             const ChildProcess &P) {
  return O.MinSize || !R.Wanted.wants(HostHeapKind::Malloc) ||
         P.State->leavesUnrecorded();
}

void ResidentSamples::write(uint64_t Time) {
  ChildProcess *P = Children.find(Process);
  if (!P || !P->isRecorded())
    return;
  const ResidentWalk::PartBytes &Parts = Walk->parts();
  Mark M;
  M.Kind = MarkKind::Resident;
  M.Process = Process;
  M.TimeNs = Time;
  M.Id = hasUnknownBlocks(O, R, *P) ? uint64_t(RF_Unknown) : 0;
  if (O.SampleBytes)
    M.Id |= RF_Sampled;
  M.Values.assign(Parts.begin(), Parts.end());
  uint64_t FreePages = 0;
  for (const ResidentWalk::ArenaPart &A : Walk->arenas())
    FreePages += A.PagesFree;
  // Few blocks of a sampled heap are known, so all its pages seem free.
  bool IsSampled = O.SampleBytes != 0;
  M.Values.insert(M.Values.end(),
                  {Walk->swapped(),
                   IsSampled ? UnknownBytes : Walk->untouched(),
                   IsSampled ? 0 : FreePages,
                   IsSampled ? 0 : uint64_t(Walk->arenas().size())});
  R.addMark(std::move(M));
  addPieces(Process, Time);
}

void ResidentSamples::addPieces(uint32_t Of, uint64_t Time) {
  auto Add = [&](ResidentPart Part, uint32_t Row,
                 std::initializer_list<uint64_t> Values) {
    Mark M;
    M.Kind = MarkKind::ResidentPiece;
    M.Process = Of;
    M.TimeNs = Time;
    M.Id = uint64_t(Part);
    if (Row) {
      M.Heap = R.Stats.heapOf(Row);
      M.Stack = R.Stats.stackOf(Row);
    }
    M.Values = Values;
    R.addMark(std::move(M));
  };
  if (!O.SampleBytes)
    for (const ResidentWalk::ArenaPart &A :
         ArrayRef(Walk->arenas()).take_front(MaxArenas))
      Add(ResidentPart::MallocFree, A.Top.Row,
          {A.Begin, A.Resident, A.Live, A.PagesFree, A.Pieces});
  for (const ResidentWalk::MappingPart &M :
       ArrayRef(Walk->mappings()).take_front(MaxMappings))
    Add(M.Part == ResidentPart::MallocFree ? ResidentPart::Mapping : M.Part,
        M.Row, {M.Resident, M.Size, M.Blocks});
}

void ResidentSamples::end() {
  Walk.reset();
  Now = Phase::Idle;
  AllTookNs += TookNs;
}
