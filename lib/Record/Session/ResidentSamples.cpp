// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of what the resident memory of processes consists of.

#include "Session/ResidentSamples.h"
#include "Session/SampleInterval.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>

using namespace llvm;
using namespace memkit;

/// The recorder's thread walks tables for so long at a time.
static constexpr uint64_t WalkStepNs = 200000;
/// Pieces of a sample in the trace.
static constexpr size_t MaxArenas = 16, MaxMappings = 24, MaxFiles = 12;

static uint64_t recorderNs() {
  timespec T = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

bool ResidentSamples::isDue(const ChildProcess &P, uint64_t Now) const {
  const ChildSamples &S = P.Samples;
  if (!S.Rss.Last || P.Exit.IsEnding)
    return false;
  // The first sample waits for the start of the program.
  constexpr uint64_t FirstNs = 20'000'000;
  if (Now < P.StartNs + FirstNs)
    return false;
  return (Now >= S.NextResidentNs || Budget.isRise(S.Rss, Now)) &&
         Budget.allowsDue(S.Rss, Now);
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

void ResidentSamples::ask(uint32_t Of, uint64_t Flags) {
  ChildProcess *P = Children.find(Of);
  if (P && P->isRecorded())
    P->Samples.ResidentAsked |= Flags;
}

/// Notes steps that have started, and processes that exit.
void ResidentSamples::noteRequests() {
  uint64_t Flags = 0;
  for (; NextStep != O.ResidentSteps.size() &&
         R.maxSteps() >= O.ResidentSteps[NextStep];
       ++NextStep)
    Flags = RF_Step;
  IsAwaited = false;
  for (ChildProcess &P : Children.recorded()) {
    ChildSamples &S = P.Samples;
    S.ResidentAsked |= Flags;
    const wire::Control &C = P.State->shared().control();
    if (P.Exit.IsEnding || !C.EndWaits.load(std::memory_order_acquire) ||
        C.EndSampled.load(std::memory_order_relaxed))
      continue;
    if (!std::exchange(S.IsEndAsked, true))
      S.ResidentAsked |= RF_End;
    IsAwaited = true;
  }
}

void ResidentSamples::finish(uint64_t RunNs) {
  if (!Budget.numSamples())
    return;
  Mark M;
  M.Kind = MarkKind::SampleCost;
  M.TimeNs = RunNs;
  M.Values = {Budget.numSamples(), Budget.spentNs(), RunNs};
  R.addMark(std::move(M));
}

void ResidentSamples::warnOfSteps() const {
  if (NextStep != O.ResidentSteps.size())
    O.Warn("--resident-at=step:" + Twine(O.ResidentSteps[NextStep]) +
           ": the program had only " + Twine(R.maxSteps()) +
           (R.maxSteps() == 1 ? " step" : " steps"));
}

/// Whether the time for samples allows one more. What the user has requested
/// may take as long as it takes.
bool ResidentSamples::mayTake(uint64_t Flags, uint64_t Time) const {
  if (Flags & RF_Step || (Flags & RF_End && O.ResidentAtEnd))
    return true;
  return Budget.allowsAsked(Time);
}

/// The next process with a request; those that exit come first.
ChildProcess *ResidentSamples::nextAsked(uint64_t Time) {
  ChildProcess *Next = nullptr;
  for (ChildProcess &P : Children.recorded()) {
    uint64_t &Asked = P.Samples.ResidentAsked;
    if (!Asked || P.Exit.IsEnding)
      continue;
    if (!mayTake(Asked, Time)) {
      Asked = 0;
      letExit(P);
    } else if (!Next || Asked & RF_End) {
      Next = &P;
    }
  }
  return Next;
}

void ResidentSamples::pass(uint64_t Time) {
  if (!O.SampleIntervalNs)
    return;
  noteRequests();
  switch (Now) {
  case Phase::Idle:
    if (ChildProcess *P = nextAsked(Time))
      start(*P, Time);
    else if (ChildProcess *Due = next(Time))
      start(*Due, Time);
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
      write();
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
  S.Rss.OfParts = S.Rss.Last;
  Process = P.Process;
  BegunNs = Time;
  BegunTsc = readTsc();
  Why = std::exchange(S.ResidentAsked, 0);
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
  if (ChildProcess *P = Children.find(Process); P && P->isRecorded())
    addPinned(P->State->cuda().blocks());
  Walk->setLive(R.stats().liveBytesOf(Process, R.heaps().malloc()),
                O.SampleBytes != 0);
  Pages.reset();
  Shard = 0;
  Now = Phase::Walking;
}

/// Adds host memory that CUDA's driver has allocated, or pinned where it was.
void ResidentSamples::addPinned(const DeviceTable &Of) {
  for (wire::CudaHeap H : {wire::CudaHeap::Pinned, wire::CudaHeap::Registered})
    for (const auto &[Begin, B] : Of.of(H))
      if (B.heap() == H && !B.IsKept)
        Walk->addPinned(Begin, B.End, B.Entry.Row);
}

/// Adds the blocks of some shards; after the last shard the mappings.
void ResidentSamples::walk() {
  ChildProcess *P = Children.find(Process);
  if (!P || !P->isRecorded() || P->Exit.IsEnding)
    return end();
  const ProcessState &S = *P->State;
  uint64_t Begin = recorderNs(), Ns = 0;
  constexpr unsigned NumShards = LiveTable::NumShards;
  constexpr size_t BlocksOfClock = 512;
  constexpr unsigned NumTables = 3;
  for (size_t Blocks = 0; Shard != NumTables * NumShards && Ns < WalkStepNs;
       ++Shard) {
    unsigned Of = Shard % NumShards;
    if (Shard < NumShards)
      S.host().table().forEachInShard(
          Of, [&](const LiveEntry &E, uint64_t Address) {
            ++Blocks;
            Walk->addBlock(Address, E);
          });
    else if (Shard < 2 * NumShards)
      S.objects().table().forEachInShard(
          Of, [&](const LiveEntry &E, uint64_t Address) {
            ++Blocks;
            Walk->addObject(Address, E);
          });
    else
      S.reported().forEachInShard(Of, [&](uint64_t Address, uint64_t Bytes) {
        ++Blocks;
        Walk->addReported(Address, Bytes);
      });
    // The clock is a system call, and most shards of a small program are empty.
    if (Blocks >= BlocksOfClock) {
      Blocks = 0;
      Ns = recorderNs() - Begin;
    }
  }
  TookNs += recorderNs() - Begin;
  if (Shard != NumTables * NumShards)
    return;
  for (const auto &[At, B] : S.mappings().blocks())
    Walk->addMapping(At, B.End, B.Class, B.Entry);
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
  return O.MinSize || !R.wanted().wants(HostHeapKind::Malloc) ||
         P.State->leavesUnrecorded();
}

void ResidentSamples::write() {
  ChildProcess *P = Children.find(Process);
  if (!P || !P->isRecorded())
    return;
  P->State->touch(Walk->reserved(), BegunTsc, Why != 0);
  const ResidentWalk::PartBytes &Parts = Walk->parts();
  Mark M;
  M.Kind = MarkKind::Resident;
  M.Process = Process;
  M.TimeNs = BegunNs;
  M.Id = Why | (hasUnknownBlocks(O, R, *P) ? uint64_t(RF_Unknown) : 0);
  if (O.SampleBytes)
    M.Id |= RF_Sampled;
  M.Values.assign(Parts.begin(), Parts.begin() + NumFirstParts);
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
  M.Values.insert(M.Values.end(), Parts.begin() + NumFirstParts, Parts.end());
  R.addMark(std::move(M));
  addPieces(Process, BegunNs);
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
      M.Heap = R.stats().heapOf(Row);
      M.Stack = R.stats().stackOf(Row);
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
  for (const ResidentWalk::ResidentFilePart &F :
       ArrayRef(Walk->files()).take_front(MaxFiles)) {
    Mark M;
    M.Kind = MarkKind::ResidentPiece;
    M.Process = Of;
    M.TimeNs = Time;
    M.Id = uint64_t(F.Part);
    M.Name = R.names().Names.string(F.Path);
    M.Values = {F.Resident, F.Size, F.Mappings, F.Written};
    R.addMark(std::move(M));
  }
}

void ResidentSamples::end() {
  Walk.reset();
  Now = Phase::Idle;
  Budget.spend(TookNs);
  ChildProcess *P = Children.find(Process);
  if (!P || !P->isRecorded())
    return;
  letWait(*P);
  if (Why & RF_End)
    letExit(*P);
}

/// Says how long the exit of a process may wait for a sample like the last one:
/// the pages and the walk, each noticed after a nap of the recorder.
void ResidentSamples::letWait(ChildProcess &P) {
  constexpr uint64_t NapsNs = 4'000'000;
  if (O.ResidentAtEnd)
    return;
  uint64_t Ns = 2 * TookNs + NapsNs, Now = R.nowNs(),
           Age = Now - std::min(Now, P.StartNs);
  P.State->shared().control().EndWaitUs.store(
      Ns <= Age / ResidentBudget::TimeShare ? uint32_t(Ns / 1000) : 0,
      std::memory_order_relaxed);
}

/// The exit of the process waits no longer.
void ResidentSamples::letExit(ChildProcess &P) {
  std::atomic<uint32_t> &Word = P.State->shared().control().EndSampled;
  Word.store(1, std::memory_order_release);
  syscall(SYS_futex, &Word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
