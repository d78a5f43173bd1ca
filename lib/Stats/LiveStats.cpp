// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live sums of a trace.

#include "memkit/Stats/LiveStats.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace memkit;

//===----------------------------------------------------------------------===//
// Heaps, processes, rows
//===----------------------------------------------------------------------===//

void LiveStats::addHeap(uint32_t Id, const Heap &H) {
  assert(!hasHeap(Id) && "a heap is added once");
  if (Heaps.size() <= Id)
    Heaps.resize(Id + 1);
  while (Spaces.size() <= H.Space) {
    Spaces.push_back(std::make_unique<Curve>());
    Spaces.back()->Id = Spaces.size() - 1;
  }
  Heaps[Id] = std::make_unique<HeapState>();
  Heaps[Id]->C.Id = Id;
  Heaps[Id]->CountsWeights = H.countsWeights();
  Heaps[Id]->Space =
      H.Flags & HF_OutsideTotals ? &Outside : Spaces[H.Space].get();
}

void LiveStats::beginProcess(uint32_t Id, uint64_t StartNs) {
  assert(!hasProcess(Id) && "a process begins once");
  if (Processes.size() <= Id)
    Processes.resize(Id + 1);
  Processes[Id] = std::make_unique<LiveProcess>();
  LiveProcess &I = *Processes[Id];
  I.T.Process = Id;
  I.Shares.resize(2);
  for (std::unique_ptr<Share> &S : I.Shares)
    S = std::make_unique<Share>();
  beginIntervals(I, StartNs);
}

/// The cell of a heap in a process, created if missing.
uint32_t LiveStats::findCell(uint32_t Process, uint32_t Heap) {
  LiveProcess &I = *Processes[Process];
  if (I.CellOfHeap.size() <= Heap)
    I.CellOfHeap.resize(Heap + 1);
  if (uint32_t Found = I.CellOfHeap[Heap])
    return Found - 1;
  HeapState &H = *Heaps[Heap];
  size_t Space = H.Space == &Outside ? 0 : H.Space->Id + size_t(1);
  if (I.Shares.size() <= Space)
    I.Shares.resize(Space + 1);
  if (!I.Shares[Space])
    I.Shares[Space] = std::make_unique<Share>();
  Cell C;
  C.I = &I;
  C.H = &H;
  C.D = H.Space;
  C.S = I.Shares[Space].get();
  C.Process = Process;
  C.Heap = Heap;
  Cells.push_back(C);
  I.CellOfHeap[Heap] = Cells.size();
  H.Cells.push_back(Cells.size() - 1);
  Cells.back().RangeBit = uint64_t(1) << (C.S->Cells.size() % 64);
  C.S->Cells.push_back(Cells.size() - 1);
  return Cells.size() - 1;
}

uint32_t LiveStats::findRow(StatsRows &Rows, uint32_t Process, uint32_t Heap,
                            uint32_t Key) {
  uint32_t At = findCell(Process, Heap);
  bool New;
  return Rows.findOrMake(At, Key, New);
}

//===----------------------------------------------------------------------===//
// Blocks in blocks
//===----------------------------------------------------------------------===//

bool LiveStats::nests(const Curve *Space, uint32_t OuterRow) const {
  const Cell &Outer = Cells[StackRows[OuterRow].Cell];
  return Space == Outer.D && Space != &Outside && !Outer.H->CountsWeights;
}

/// Adds inner blocks to the live block In.
void LiveStats::addInner(OuterRef In, InnerChange By) {
  BlockRef B = In.Block;
  LiveProcess &I = *Cells[StackRows[B.Row].Cell].I;
  if (In.IsCounted) {
    Target O = touch(B.Row, B.ScopeRow);
    O.R.LiveExclusive -= By.Bytes;
    if (O.X)
      O.X->LiveExclusive -= By.Bytes;
  }
  Encloser &E = I.Enclosers[B.AllocationId];
  E.Row = B.Row;
  E.ScopeRow = B.ScopeRow;
  E.IsCounted = In.IsCounted;
  E.InnerBytes += By.Bytes;
  E.InnerBlocks += static_cast<uint32_t>(By.Blocks);
  E.UncountedBlocks += static_cast<uint32_t>(By.Uncounted);
}

void LiveStats::allocateIn(BlockRef B, OuterRef In, uint64_t Size,
                           uint64_t TimeNs, uint32_t Thread) {
  if (!nests(Cells[StackRows[B.Row].Cell].D, In.Block.Row))
    return allocate(B, Size, TimeNs, Thread);
  Target T = beginEvent(B, TimeNs);
  addInner(In, {Size, 1, 0});
  countAllocation(T, Thread, B.AllocationId, Size);
  if (In.IsCounted)
    noteUncounted(Thread, Size);
  growRows(T, Size);
  rise(T.C.H->C, T.C, Size, 1, TimeNs);
  if (In.IsCounted)
    return;
  T.C.S->Allocations += 1;
  spaceRise(T.C, Size, 1, TimeNs);
}

/// Adds By to the inner blocks of the block of allocation id + 1 Enclosing, and
/// of the blocks that will replace it when it is freed. Returns the cell of the
/// counted block that the inner block lies in; null: it lies in none, or first
/// in an uncounted one.
LiveStats::Cell *LiveStats::changeInner(const Cell &Inner, uint64_t Enclosing,
                                        InnerChange By) {
  auto &Map = Inner.I->Enclosers;
  auto At = Enclosing ? Map.find(Enclosing - 1) : Map.end();
  while (At != Map.end() && nests(Inner.D, At->second.Row)) {
    Encloser &E = At->second;
    E.InnerBytes += By.Bytes;
    E.InnerBlocks += static_cast<uint32_t>(By.Blocks);
    E.UncountedBlocks += static_cast<uint32_t>(By.Uncounted);
    if (!E.Freed) {
      if (!E.IsCounted)
        return nullptr;
      Target O = touch(E.Row, E.ScopeRow);
      O.R.LiveExclusive -= By.Bytes;
      if (O.X)
        O.X->LiveExclusive -= By.Bytes;
      return &O.C;
    }
    uint64_t Outer = E.Outer;
    if (E.InnerBlocks == 0)
      Map.erase(At);
    At = Outer ? Map.find(Outer - 1) : Map.end();
  }
  return nullptr;
}

/// Marks the block as freed, if others lie in it. Returns these.
LiveStats::InnerChange LiveStats::freeEncloser(LiveProcess &I,
                                               uint64_t AllocationId,
                                               uint64_t Enclosing) {
  auto Own = I.Enclosers.find(AllocationId);
  if (Own == I.Enclosers.end())
    return InnerChange();
  Encloser &E = Own->second;
  InnerChange Inner{E.InnerBytes, E.InnerBlocks, E.UncountedBlocks};
  E.Freed = true;
  E.Outer = Enclosing;
  if (E.InnerBlocks == 0)
    I.Enclosers.erase(Own);
  return Inner;
}

/// The second part of free() in a process with blocks in blocks. The rows have
/// already lost the block's whole size.
void LiveStats::freeNested(Target &T, BlockRef B, uint64_t Size, bool Temporary,
                           uint64_t Enclosing) {
  InnerChange Inner = freeEncloser(*T.C.I, B.AllocationId, Enclosing);
  T.R.LiveExclusive += Inner.Bytes;
  if (T.X)
    T.X->LiveExclusive += Inner.Bytes;
  if (changeInner(T.C, Enclosing,
                  {Inner.Bytes - Size, Inner.Blocks - 1, Inner.Uncounted}))
    return;
  T.C.S->Frees += 1;
  T.C.S->Temporaries += Temporary;
  spaceFall(T.C, Size - Inner.Bytes, 1 - (Inner.Blocks - Inner.Uncounted));
}

//===----------------------------------------------------------------------===//
// Uncounted blocks
//===----------------------------------------------------------------------===//

/// Begins an event of a block without a row of its own. Returns a cell of its
/// process and memory space.
LiveStats::Cell &LiveStats::beginUncounted(uint32_t Around, uint64_t TimeNs) {
  assert(TimeNs >= LastNs && "events out of order");
  ++Now;
  LastNs = TimeNs;
  Cell &C = Cells[StackRows[Around].Cell];
  C.S->Touched |= C.RangeBit;
  return C;
}

bool LiveStats::allocateUncountedIn(uint32_t Heap, OuterRef In, uint64_t Size,
                                    uint64_t TimeNs) {
  const HeapState &H = *Heaps[Heap];
  if (H.CountsWeights || !nests(H.Space, In.Block.Row))
    return false;
  Cell &C = beginUncounted(In.Block.Row, TimeNs);
  addInner(In, {Size, 1, 1});
  if (In.IsCounted)
    spaceFall(C, Size, 0);
  return true;
}

void LiveStats::freeUncounted(uint64_t AllocationId, uint32_t Around,
                              uint64_t Size, uint64_t TimeNs,
                              uint64_t Enclosing) {
  Cell &C = beginUncounted(Around, TimeNs);
  InnerChange Inner = freeEncloser(*C.I, AllocationId, Enclosing);
  Cell *O =
      changeInner(C, Enclosing,
                  {Inner.Bytes - Size, Inner.Blocks - 1, Inner.Uncounted - 1});
  if (O)
    spaceRise(*O, Size - Inner.Bytes, Inner.Uncounted - Inner.Blocks, TimeNs);
}

void LiveStats::resizeUncounted(uint32_t Around, uint64_t OldSize,
                                uint64_t NewSize, uint64_t TimeNs,
                                uint64_t Enclosing) {
  Cell &C = beginUncounted(Around, TimeNs);
  Cell *O = changeInner(C, Enclosing, {NewSize - OldSize, 0, 0});
  if (!O)
    return;
  if (NewSize < OldSize)
    spaceRise(*O, OldSize - NewSize, 0, TimeNs);
  else
    spaceFall(*O, NewSize - OldSize, 0);
}

void LiveStats::splitUncounted(uint32_t Around, uint64_t TimeNs,
                               uint64_t Enclosing) {
  changeInner(beginUncounted(Around, TimeNs), Enclosing, {0, 1, 1});
}

//===----------------------------------------------------------------------===//
// The rarer events
//===----------------------------------------------------------------------===//

void LiveStats::resize(BlockRef B, uint64_t OldSize, uint64_t NewSize,
                       uint64_t TimeNs, uint64_t Enclosing) {
  Target T = beginEvent(B, TimeNs);
  bool Nested = changeInner(T.C, Enclosing, {NewSize - OldSize, 0, 0});
  if (NewSize >= OldSize) {
    growRows(T, NewSize - OldSize);
    rise(T.C.H->C, T.C, NewSize - OldSize, 0, TimeNs);
    if (!Nested)
      spaceRise(T.C, NewSize - OldSize, 0, TimeNs);
    return;
  }
  uint64_t Less = OldSize - NewSize;
  for (StatsRow *R : {&T.R, T.X})
    if (R) {
      R->LiveBytes -= Less;
      R->LiveExclusive -= Less;
    }
  T.C.LiveBytes -= Less;
  T.C.H->C.fall(Less, 0);
  if (!Nested)
    spaceFall(T.C, Less, 0);
}

void LiveStats::split(BlockRef B, uint64_t TimeNs, uint64_t Enclosing) {
  Target T = beginEvent(B, TimeNs);
  bool Nested = changeInner(T.C, Enclosing, {0, 1, 0});
  T.R.LiveBlocks += 1;
  StackSplits[B.Row] += 1;
  if (T.X) {
    T.X->LiveBlocks += 1;
    ScopeSplits[B.ScopeRow] += 1;
  }
  T.C.Splits += 1;
  rise(T.C.H->C, T.C, 0, 1, TimeNs);
  if (!Nested)
    spaceRise(T.C, 0, 1, TimeNs);
}

void LiveStats::addLoss(uint32_t Process, LossKind Kind, uint64_t Count) {
  LiveProcess &I = *Processes[Process];
  I.Losses[lossIndex(Kind)] += Count;
  if (losesEvents(Kind))
    I.T.Lost += Count;
}

void LiveStats::countFromNow() {
  assert(!IntervalsOn && "intervals need the past");
  for (StatsRows *Rows : {&StackRows, &ScopeRows})
    for (uint32_t Row = 1; Row <= Rows->size(); ++Row) {
      StatsRow &R = (*Rows)[Row];
      R.Allocations = R.LiveBlocks;
      R.AllocatedBytes = R.PeakBytes = R.LiveBytes;
      R.Temporaries = 0;
      Rows->cold(Row).Temporaries = 0;
    }
  StackSplits.clear();
  ScopeSplits.clear();
  // No row has changed since this peak, so a row's live values are its values
  // at the peak.
  auto Begin = [this](Curve &C) {
    C.PeakBytes = C.LiveBytes;
    C.PeakBlocks = C.LiveBlocks;
    C.PeakTimeNs = LastNs;
    C.PeakAt = Now;
    C.setTrigger();
  };
  for (const std::unique_ptr<HeapState> &H : Heaps)
    if (H)
      Begin(H->C);
  for (const std::unique_ptr<Curve> &C : Spaces)
    Begin(*C);
}

void LiveStats::setReserved(uint32_t Process, uint32_t Heap, uint64_t Bytes) {
  Cell &C = Cells[findCell(Process, Heap)];
  HeapState &H = *C.H;
  if (Bytes > C.Reserved)
    H.GrowthFragmentation = std::max(
        H.GrowthFragmentation, fragmentationPpm(H.Reserved, H.C.LiveBytes));
  changeReserved(C, Bytes);
  H.ReservedKnown = true;
  H.ReservedPeak = std::max(H.ReservedPeak, H.Reserved);
}

void LiveStats::changeReserved(Cell &C, uint64_t Bytes) {
  HeapState &H = *C.H;
  H.ReservedAtPeak = H.reservedAtPeak();
  H.ReservedAt = Now;
  H.Reserved += Bytes - C.Reserved;
  C.Reserved = Bytes;
}

//===----------------------------------------------------------------------===//
// Boundaries
//===----------------------------------------------------------------------===//

uint64_t LiveStats::boundary(uint64_t TimeNs) {
  uint64_t T = (TimeNs + TimeUnitNs - 1) / TimeUnitNs * TimeUnitNs;
  if (Now)
    T = std::max(T, LastNs / TimeUnitNs * TimeUnitNs + TimeUnitNs);
  if (FloorNs)
    T = std::max(T, FloorNs + TimeUnitNs);
  return FloorNs = T;
}

void LiveStats::setRole(uint32_t Process, uint32_t Role) {
  Processes[Process]->T.Role = Role;
}

void LiveStats::noteResident(uint32_t Process, uint64_t Rss, uint64_t Pss) {
  ProcessStats &T = Processes[Process]->T;
  T.RssPeakBytes = std::max(T.RssPeakBytes, Rss);
  T.PssPeakBytes = std::max(T.PssPeakBytes, Pss);
}

void LiveStats::endProcess(uint32_t Process, uint64_t TimeNs,
                           int32_t ExitStatus, uint32_t Signal) {
  LiveProcess &I = *Processes[Process];
  assert(!I.T.Ended && "a process ends once");
  endStep(I, TimeNs);
  I.T.Ended = true;
  I.T.EndNs = TimeNs;
  I.T.ExitStatus = ExitStatus;
  I.T.Signal = Signal;
  I.EndAt = Now;
  I.NextIntervalNs = UINT64_MAX;
  for (uint32_t At : I.CellOfHeap) {
    if (!At)
      continue;
    Cell &C = Cells[At - 1];
    C.H->C.endProcess(C.LiveBytes, C.liveBlocks());
    C.H->EndedReserved += C.Reserved;
    changeReserved(C, 0);
  }
  for (size_t D = 1; D < I.Shares.size(); ++D)
    if (const Share *S = I.Shares[D].get())
      Spaces[D - 1]->endProcess(S->LiveBytes, S->LiveBlocks);
  I.Enclosers.shrink_and_clear();
}

/// The difference from Before to Now. Peaks are those of the running step.
SpaceShare LiveStats::shareOf(const ShareStats &Now, const ShareStats &Before,
                              size_t Space) {
  SpaceShare S;
  S.Space = Space;
  S.Allocations = Now.Allocations - Before.Allocations;
  S.Frees = Now.Frees - Before.Frees;
  S.AllocatedBytes = Now.AllocatedBytes - Before.AllocatedBytes;
  S.FreedBytes = S.AllocatedBytes - (Now.LiveBytes - Before.LiveBytes);
  S.LiveBytes = Now.LiveBytes;
  S.PeakBytes = Now.StepPeakBytes;
  return S;
}

StepStats LiveStats::runningStep(const LiveProcess &I, uint64_t NowNs) const {
  StepStats S;
  S.Process = I.T.Process;
  S.Step = I.Step;
  S.BeginNs = I.StepBeginNs;
  S.EndNs = NowNs;
  const ShareStats None;
  for (size_t D = 1; D < I.Shares.size(); ++D) {
    if (!I.Shares[D])
      continue;
    const ShareStats &Before = D < I.AtStep.size() ? I.AtStep[D] : None;
    SpaceShare Of = shareOf(*I.Shares[D], Before, D - 1);
    if (D == 1) {
      S.Allocations = Of.Allocations;
      S.Frees = Of.Frees;
      S.AllocatedBytes = Of.AllocatedBytes;
      S.FreedBytes = Of.FreedBytes;
      S.PeakBytes = Of.PeakBytes;
      S.LiveBytes = Of.LiveBytes;
    } else if (isAny(Of)) {
      S.Shares.push_back(Of);
    }
  }
  return S;
}

void LiveStats::endStep(LiveProcess &I, uint64_t TimeNs) {
  if (I.Stepping)
    I.Steps.push_back(runningStep(I, TimeNs));
  I.Stepping = false;
}

/// A shorter step is one interval.
static constexpr uint64_t LongStepNs = 2'000'000'000;

void LiveStats::beginStep(uint32_t Process, uint64_t Step, uint64_t TimeNs) {
  LiveProcess &I = *Processes[Process];
  if (I.Stepping)
    I.StepsOpen += 1;
  endStep(I, TimeNs);
  I.AtStep.resize(I.Shares.size());
  for (size_t D = 1; D < I.Shares.size(); ++D) {
    Share *S = I.Shares[D].get();
    if (!S)
      continue;
    S->PeakBytes = std::max(S->PeakBytes, S->StepPeakBytes);
    S->StepPeakBytes = S->LiveBytes;
    I.AtStep[D] = *S;
  }
  I.StepBefore = I.Step;
  I.Step = Step;
  I.StepBeginNs = TimeNs;
  I.FirstStepNs = std::min(I.FirstStepNs, TimeNs);
  I.Stepping = true;
  // Behind its steps a program may live on for long: a step that takes longer
  // than all before is cut by time.
  I.NextIntervalNs =
      llvm::SaturatingAdd(TimeNs, std::max(LongStepNs, TimeNs - I.FirstStepNs));
  if (I.Open.BeginNs == TimeNs) {
    I.Open.FirstStep = Step;
    if (IntervalsOn)
      I.Intervals.setStep(Step);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

uint64_t LiveStats::liveBlocks(uint32_t Process) const {
  uint64_t Sum = 0;
  for (uint32_t At : Processes[Process]->CellOfHeap)
    Sum += At ? Cells[At - 1].liveBlocks() : 0;
  return Sum;
}

/// The values that the curve alone provides.
TotalStats LiveStats::Curve::totals() const {
  TotalStats T;
  T.Id = Id;
  T.LiveBlocks = LiveBlocks + EndedBlocks;
  T.LiveBytes = LiveBytes + EndedBytes;
  T.PeakBytes = PeakBytes;
  T.PeakBlocks = PeakBlocks;
  T.PeakTimeNs = PeakTimeNs;
  return T;
}

/// Adds the counts of a cell or share.
template <class Part> static void addCounts(TotalStats &T, const Part &P) {
  T.Allocations += P.Allocations;
  T.Frees += P.Frees;
  T.AllocatedBytes += P.AllocatedBytes;
  T.FreedBytes += P.AllocatedBytes - P.LiveBytes;
  T.Temporaries += P.Temporaries;
}

HeapStats LiveStats::heapStats(uint32_t Heap) const {
  const HeapState &H = *Heaps[Heap];
  HeapStats T;
  static_cast<TotalStats &>(T) = H.C.totals();
  for (uint32_t At : H.Cells)
    addCounts(T, Cells[At]);
  T.ReservedKnown = H.ReservedKnown;
  T.ReservedBytes = H.Reserved + H.EndedReserved;
  T.ReservedPeakBytes = H.ReservedPeak;
  T.ReservedAtPeakBytes = H.reservedAtPeak();
  T.GrowthFragmentationPpm = H.GrowthFragmentation;
  T.setSizes(H.Sizes);
  return T;
}

TotalStats LiveStats::spaceStats(uint32_t Space) const {
  TotalStats T = Spaces[Space]->totals();
  for (const std::unique_ptr<LiveProcess> &I : Processes)
    if (I && Space + size_t(1) < I->Shares.size() && I->Shares[Space + 1])
      addCounts(T, *I->Shares[Space + 1]);
  return T;
}

ProcessStats LiveStats::processStats(uint32_t Process, uint64_t NowNs) const {
  const LiveProcess &I = *Processes[Process];
  ProcessStats T = I.T;
  if (!T.Ended)
    T.EndNs = NowNs;
  for (uint32_t At : I.CellOfHeap)
    if (At) {
      T.Allocations += Cells[At - 1].Allocations;
      T.Frees += Cells[At - 1].Frees;
    }
  for (size_t D = 1; D < I.Shares.size(); ++D) {
    if (!I.Shares[D])
      continue;
    SpaceShare Of = shareOf(*I.Shares[D], ShareStats(), D - 1);
    Of.PeakBytes = std::max(Of.PeakBytes, I.Shares[D]->PeakBytes);
    if (D == 1) {
      T.LiveBytes = Of.LiveBytes;
      T.PeakBytes = Of.PeakBytes;
    } else if (isAny(Of)) {
      T.Shares.push_back(Of);
    }
  }
  return T;
}
