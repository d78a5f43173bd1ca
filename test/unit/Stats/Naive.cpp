// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the stats of a trace by brute force.

#include "Naive.h"
#include <algorithm>

using namespace memkit;
using namespace memkit::test;

bool Naive::nests(int In, int Out) const {
  uint32_t A = Blocks[In].Heap, B = Blocks[Out].Heap;
  return counted(A) && counted(B) && Heaps[A - 1].Space == Heaps[B - 1].Space;
}

int Naive::outer(int At) const {
  for (int O = Blocks[At].Outer; O >= 0; O = Blocks[O].Outer) {
    if (!nests(At, O))
      return -1;
    if (Blocks[O].Live)
      return O;
  }
  return -1;
}

uint64_t Naive::exclusive(int At) const {
  uint64_t Bytes = Blocks[At].Size;
  for (size_t I = 0; I < Blocks.size(); ++I)
    if (Blocks[I].Live && Blocks[I].Process == Blocks[At].Process &&
        outer(I) == At)
      Bytes -= Blocks[I].Size;
  return Bytes;
}

template <class F> void Naive::eachRow(int At, F Do) {
  const NaiveBlock &B = Blocks[At];
  Do(Rows[{false, B.Process, B.Heap, B.Stack}]);
  if (B.ScopePath)
    Do(Rows[{true, B.Process, B.Heap, B.ScopePath}]);
}

/// Live values by row: of running processes, or with Everything of all
/// processes, those that ended as at their end.
std::map<RowKey, StackStats> Naive::live(bool Everything) const {
  std::map<RowKey, StackStats> Out;
  for (size_t I = 0; I < Blocks.size(); ++I) {
    const NaiveBlock &B = Blocks[I];
    if (!B.Live || (!Everything && !running(B.Process)))
      continue;
    for (bool ScopePath : {false, true}) {
      if (ScopePath && !B.ScopePath)
        continue;
      StackStats &R = Out[{ScopePath, B.Process, B.Heap,
                           ScopePath ? B.ScopePath : B.Stack}];
      R.LiveBlocks += 1;
      R.LiveBytes += B.Size;
      R.LiveExclusive += exclusive(I);
    }
  }
  return Out;
}

uint64_t Naive::spaceBytes(uint32_t Space, bool Everything,
                           uint64_t &Count) const {
  uint64_t Bytes = 0;
  Count = 0;
  for (size_t I = 0; I < Blocks.size(); ++I) {
    const NaiveBlock &B = Blocks[I];
    if (B.Live && counted(B.Heap) && Heaps[B.Heap - 1].Space == Space &&
        (Everything || running(B.Process)) && outer(I) < 0) {
      Bytes += B.Size;
      Count += 1;
    }
  }
  return Bytes;
}

/// The share of the device; the first and only share.
static SpaceShare &deviceOf(SpaceShares &S) {
  if (S.empty())
    S.emplace_back().Space = 1;
  return S.front();
}

static void dropEmpty(SpaceShares &S) {
  if (!S.empty() && !isAny(S.front()))
    S.clear();
}

uint64_t Naive::liveOf(uint32_t Process, uint32_t Space) const {
  uint64_t Bytes = 0;
  for (size_t I = 0; I < Blocks.size(); ++I)
    if (Blocks[I].Live && Blocks[I].Process == Process &&
        counted(Blocks[I].Heap) && Heaps[Blocks[I].Heap - 1].Space == Space &&
        outer(I) < 0)
      Bytes += Blocks[I].Size;
  return Bytes;
}

void Naive::lookForPeaks(uint64_t Time) {
  Events += 1;
  std::map<RowKey, StackStats> Now = live(false);
  for (auto &[Key, R] : Now) {
    StackStats &Row = Rows[Key];
    Row.PeakBytes = std::max(Row.PeakBytes, R.LiveBytes);
  }
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> Stats;
  for (auto &[Key, R] : Now)
    if (!std::get<0>(Key)) {
      Stats[std::get<2>(Key)].first += R.LiveBytes;
      Stats[std::get<2>(Key)].second += R.LiveBlocks;
    }
  for (auto &[Heap, Sum] : Stats) {
    TotalStats &T = HeapStatsOf[Heap];
    if (Sum.first > T.PeakBytes) {
      T.PeakBytes = Sum.first;
      T.PeakBlocks = Sum.second;
      T.PeakTimeNs = Time;
      HeapPeaks[Heap] = Now;
    }
  }
  for (uint32_t Space : {0, 1}) {
    uint64_t Count, Bytes = spaceBytes(Space, false, Count);
    TotalStats &T = SpaceSums[Space];
    if (Bytes > T.PeakBytes) {
      T.PeakBytes = Bytes;
      T.PeakBlocks = Count;
      T.PeakTimeNs = Time;
      SpacePeaks[Space] = Now;
    }
  }
  for (const NaiveBlock &B : Blocks)
    if (running(B.Process)) {
      uint64_t Bytes = liveOf(B.Process, 0), OfDevice = liveOf(B.Process, 1);
      auto Raise = [&](auto &T) {
        T.PeakBytes = std::max(T.PeakBytes, Bytes);
        SpaceShare &D = deviceOf(T.Shares);
        D.PeakBytes = std::max(D.PeakBytes, OfDevice);
      };
      Raise(Processes[B.Process]);
      Raise(Running[B.Process]);
    }
}

/// Counts a change of the memory space's live bytes. Kind: 1 allocation, -1
/// free, 0 other.
void Naive::spaceMoved(int At, uint64_t Before, bool Outermost, int Kind) {
  const NaiveBlock &B = Blocks[At];
  if (!counted(B.Heap))
    return;
  uint32_t Space = Heaps[B.Heap - 1].Space;
  uint64_t Count, After = spaceBytes(Space, false, Count);
  TotalStats &T = SpaceSums[Space];
  auto Add = [&](auto &To) {
    (After > Before ? To.AllocatedBytes : To.FreedBytes) +=
        After > Before ? After - Before : Before - After;
    To.Allocations += Outermost && Kind > 0;
    To.Frees += Outermost && Kind < 0;
  };
  Add(T);
  if (Space == 0)
    return Add(Running[B.Process]);
  Add(deviceOf(Running[B.Process].Shares));
  Add(deviceOf(Processes[B.Process].Shares));
}

int Naive::allocate(NaiveBlock B, uint64_t Time) {
  int At = Blocks.size();
  uint64_t Count, Before = spaceBytes(Heaps[B.Heap - 1].Space, false, Count);
  Blocks.push_back(B);
  LastOfThread[B.Thread] = At;
  eachRow(At, [&](StackStats &R) {
    R.Allocations += 1;
    R.AllocatedBytes += B.Size;
  });
  HeapStatsOf[B.Heap].Allocations += 1;
  HeapStatsOf[B.Heap].AllocatedBytes += B.Size;
  unsigned Bits = 0;
  for (uint64_t Left = B.Size; Left; Left /= 2)
    ++Bits;
  std::vector<uint64_t> &Of = Sizes[B.Heap];
  Of.resize(std::max<size_t>(Of.size(), Bits + 1));
  Of[Bits] += 1;
  Threads[B.Thread].Allocations += 1;
  Threads[B.Thread].AllocatedBytes += B.Size;
  if (outer(At) >= 0 || !counted(B.Heap))
    Threads[B.Thread].NestedBytes += B.Size;
  Processes[B.Process].Allocations += 1;
  spaceMoved(At, Before, outer(At) < 0, 1);
  lookForPeaks(Time);
  return At;
}

void Naive::free(int At, uint32_t Thread, uint64_t Time) {
  NaiveBlock &B = Blocks[At];
  bool Temporary = LastOfThread.count(Thread) && LastOfThread[Thread] == At;
  bool Outermost = outer(At) < 0;
  uint64_t Count, Before = spaceBytes(Heaps[B.Heap - 1].Space, false, Count);
  B.Live = false;
  eachRow(At, [&](StackStats &R) { R.Temporaries += Temporary; });
  TotalStats &H = HeapStatsOf[B.Heap];
  H.Frees += 1;
  H.FreedBytes += B.Size;
  H.Temporaries += Temporary;
  Processes[B.Process].Frees += 1;
  if (counted(B.Heap) && Outermost)
    SpaceSums[Heaps[B.Heap - 1].Space].Temporaries += Temporary;
  spaceMoved(At, Before, Outermost, -1);
  lookForPeaks(Time);
}

void Naive::resize(int At, uint64_t Size, uint64_t Time) {
  NaiveBlock &B = Blocks[At];
  uint64_t Count, Before = spaceBytes(Heaps[B.Heap - 1].Space, false, Count);
  uint64_t Old = B.Size;
  B.Size = Size;
  if (Size > Old) {
    eachRow(At, [&](StackStats &R) { R.AllocatedBytes += Size - Old; });
    HeapStatsOf[B.Heap].AllocatedBytes += Size - Old;
  } else {
    HeapStatsOf[B.Heap].FreedBytes += Old - Size;
  }
  spaceMoved(At, Before, false, 0);
  lookForPeaks(Time);
}

int Naive::split(int At, uint64_t Size, uint64_t Time) {
  NaiveBlock Rest = Blocks[At];
  Rest.Size -= Size;
  Blocks[At].Size = Size;
  Blocks.push_back(Rest);
  eachRow(At, [&](StackStats &R) { R.Splits += 1; });
  lookForPeaks(Time);
  return Blocks.size() - 1;
}

void Naive::endStep(uint32_t Process, uint64_t Time) {
  StepStats &S = Running[Process];
  if (S.Process) {
    S.EndNs = Time;
    S.LiveBytes = liveOf(Process, 0);
    deviceOf(S.Shares).LiveBytes = liveOf(Process, 1);
    dropEmpty(S.Shares);
    Steps[Process].push_back(S);
  }
  S = StepStats();
}

void Naive::beginStep(uint32_t Process, uint64_t Step, uint64_t Time) {
  endStep(Process, Time);
  StepStats &S = Running[Process];
  S.Process = Process;
  S.Step = Step;
  S.BeginNs = Time;
  S.PeakBytes = liveOf(Process, 0);
  deviceOf(S.Shares).PeakBytes = liveOf(Process, 1);
}

void Naive::endProcess(uint32_t Process, uint64_t Time, int32_t Status,
                       uint32_t Signal) {
  endStep(Process, Time);
  Ended[Process] = true;
  ProcessStats &T = Processes[Process];
  T.Ended = true;
  T.EndNs = Time;
  T.ExitStatus = Status;
  T.Signal = Signal;
}

std::vector<IntervalRow> Naive::interval(uint32_t Process,
                                         IntervalDetail Detail) {
  std::map<RowKey, StackStats> Now;
  for (auto &[Key, R] : live(true))
    if (!std::get<0>(Key) && std::get<1>(Key) == Process)
      Now[Key] = R;
  std::map<RowKey, StackStats> &Before = Sliced[Process];
  std::map<RowKey, StackStats> Both = Now;
  Both.insert(Before.begin(), Before.end());
  for (auto &[Key, R] : Rows)
    if (!std::get<0>(Key) && std::get<1>(Key) == Process)
      Both.insert({Key, R});
  std::vector<IntervalRow> Out;
  for (auto &[Key, Unused] : Both) {
    StackStats A = Before.count(Key) ? Before[Key] : StackStats();
    StackStats B = Now.count(Key) ? Now[Key] : StackStats();
    IntervalRow R{std::get<2>(Key), std::get<3>(Key), B.LiveBlocks,
                  B.LiveBytes};
    StackStats &Given = Written[Key];
    const StackStats &All = Rows[Key];
    R.Allocations = All.Allocations - Given.Allocations;
    R.AllocatedBytes = All.AllocatedBytes - Given.AllocatedBytes;
    R.Temporaries = All.Temporaries - Given.Temporaries;
    bool Allocated = R.Allocations || R.AllocatedBytes || R.Temporaries;
    if (A.LiveBytes == B.LiveBytes && A.LiveBlocks == B.LiveBlocks &&
        !(Allocated && Detail == IntervalDetail::Whole))
      continue;
    Given = All;
    Out.push_back(R);
  }
  Before = Now;
  return Out;
}

Summary Naive::summary(uint64_t EndNs) const {
  Summary S;
  S.EndNs = EndNs;
  S.Events = Events;
  std::map<RowKey, StackStats> Live = live(true);
  for (auto &[Key, Row] : Rows) {
    auto [ScopePath, Process, HeapId, Id] = Key;
    StackStats R = Row;
    R.Key = Id;
    R.Heap = HeapId;
    auto Find = [&](const std::map<RowKey, StackStats> &In) {
      auto At = In.find(Key);
      return At == In.end() ? StackStats() : At->second;
    };
    StackStats L = Find(Live);
    R.LiveBlocks = L.LiveBlocks;
    R.LiveBytes = L.LiveBytes;
    R.LiveExclusive = L.LiveExclusive;
    if (HeapPeaks.count(HeapId)) {
      StackStats P = Find(HeapPeaks.at(HeapId));
      R.HeapPeakBlocks = P.LiveBlocks;
      R.HeapPeakBytes = P.LiveBytes;
    }
    uint32_t Space = Heaps[HeapId - 1].Space;
    if (counted(HeapId) && SpacePeaks.count(Space)) {
      StackStats P = Find(SpacePeaks.at(Space));
      R.SpacePeakBlocks = P.LiveBlocks;
      R.SpacePeakBytes = P.LiveExclusive;
    }
    auto &To = ScopePath ? S.ScopePaths : S.Stacks;
    if (To.empty() || To.back().Process != Process)
      To.push_back({Process, {}});
    To.back().Rows.push_back(R);
  }
  for (uint32_t Id = 1; Id <= Heaps.size(); ++Id) {
    HeapStats T;
    if (HeapStatsOf.count(Id))
      static_cast<TotalStats &>(T) = HeapStatsOf.at(Id);
    T.Id = Id;
    if (Sizes.count(Id))
      T.Sizes = Sizes.at(Id);
    for (const NaiveBlock &B : Blocks)
      if (B.Live && B.Heap == Id) {
        T.LiveBlocks += 1;
        T.LiveBytes += B.Size;
      }
    S.Heaps.push_back(T);
  }
  for (auto [Id, T] : Threads) {
    T.Thread = Id;
    S.Threads.push_back(T);
  }
  for (uint32_t Space : {0, 1}) {
    TotalStats T;
    if (SpaceSums.count(Space))
      T = SpaceSums.at(Space);
    T.Id = Space;
    T.LiveBytes = spaceBytes(Space, true, T.LiveBlocks);
    S.Spaces.push_back(T);
  }
  for (auto &[Id, Process] : Processes) {
    ProcessStats T = Process;
    T.Process = Id;
    T.LiveBytes = liveOf(Id, 0);
    deviceOf(T.Shares).LiveBytes = liveOf(Id, 1);
    dropEmpty(T.Shares);
    if (!T.Ended)
      T.EndNs = EndNs;
    S.Processes.push_back(T);
    if (Steps.count(Id))
      S.Steps.insert(S.Steps.end(), Steps.at(Id).begin(), Steps.at(Id).end());
    if (Running.count(Id) && Running.at(Id).Process) {
      StepStats R = Running.at(Id);
      R.EndNs = EndNs;
      R.LiveBytes = T.LiveBytes;
      deviceOf(R.Shares).LiveBytes = liveOf(Id, 1);
      dropEmpty(R.Shares);
      S.Steps.push_back(R);
    }
  }
  return S;
}
