// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a synthetic program.

#include "Random.h"
#include "Shape.h"
#include "Stats/IntervalBatch.h"
#include "memkit/Stats/LiveStats.h"
#include <algorithm>
#include <functional>

using namespace memkit;
using namespace memkit::gentrace;
using llvm::Error;

namespace {

/// A live block, as a recorder keeps it.
struct Block {
  uint64_t AllocationId, Size, AllocatedNs, Address, Enclosing;
  BlockRef Ref;
  uint32_t Stack;
  uint16_t Heap;
};

struct ProcessState {
  uint32_t Id = 0;
  std::vector<uint32_t> Threads;
  std::vector<Block> Live;
  std::vector<uint32_t> Rows; ///< by stack, with the heap in RowHeaps
  std::vector<uint16_t> RowHeaps;
  memkit::Events Buffer;
  uint64_t NextAllocationId = 0, Events = 0, LastSnapshot = 0, LastNs = 0;
  uint64_t Arena = UINT64_MAX; ///< a block that encloses others
  BlockRef ArenaRef;
  uint64_t ArenaRoom = 0, ArenaInner = 0;
  std::unique_ptr<IntervalBatch> Intervals;
};

class Program {
public:
  Program(const Shape &S, TraceWriter &Out) : S(S), Out(Out), R(~S.Seed) {}
  Error run(const std::vector<uint32_t> &HeapNames);

private:
  Error declare(const std::vector<uint32_t> &HeapNames);
  void allocate(ProcessState &I, uint32_t Thread);
  void allocateArena(ProcessState &I, uint32_t Thread);
  void free(ProcessState &I, uint32_t Thread, size_t At);
  void resizeOrSplit(ProcessState &I, uint32_t Thread);
  void event(ProcessState &I);
  Event &record(ProcessState &I, EventKind Kind, uint32_t Thread,
                uint64_t Block);
  void columns(ProcessState &I, uint64_t Address, uint64_t Enclosing);
  uint32_t rowOf(ProcessState &I, uint16_t Heap, uint32_t Stack);
  uint32_t pickStack();
  uint64_t sizeOf(uint16_t Heap);
  Error closeEpoch();
  Error writeSnapshot(ProcessState &I);
  Error beginStep(uint64_t Step);
  Error cutInterval(ProcessState &I, uint64_t TimeNs);
  Error endProcess(ProcessState &I);
  Error finish();
  Error cutTimeIntervals();
  bool enclosesOthers(const ProcessState &I, const Block &B) const {
    return B.AllocationId == I.Arena && I.ArenaInner;
  }

  const Shape &S;
  TraceWriter &Out;
  Random R;
  LiveStats A;
  std::vector<Heap> Heaps;
  std::vector<ProcessState> Processes;
  std::vector<ProcessState *> Running;
  uint64_t Now = 0;
  uint32_t Epoch = 0;
  Marks Notes;
  Interval Cut;
  std::function<Error(const Intervals &)> WriteIntervals =
      [this](const Intervals &S) { return Out.write(S); };
};

Error Program::declare(const std::vector<uint32_t> &HeapNames) {
  Dictionary D;
  for (uint32_t I = 0; I < S.Heaps; ++I) {
    Heap H;
    H.Name = HeapNames[I];
    if (I == 4 || I == 5)
      H.Space = 1;
    if (I == 6)
      H.Flags = HF_OutsideTotals;
    if (I == 2 || I == 3)
      H.Parent = 1;
    Heaps.push_back(H);
    A.addHeap(I + 1, H);
  }
  if (S.Heaps > 4) {
    Device Gpu;
    Gpu.Name = "Generated GPU";
    Gpu.Space = "cuda:0";
    Gpu.Bytes = uint64_t(80) << 30;
    D.Devices.push_back(Gpu);
  }
  D.Heaps = Heaps;
  Processes.resize(S.Processes);
  uint32_t Thread = 0;
  for (uint32_t I = 0; I < S.Processes; ++I) {
    ProcessRecord Im;
    Im.Pid = 1000 + I;
    Im.Parent = I ? 1 : 0;
    Im.Origin = I ? ProcessOrigin::Fork : ProcessOrigin::Start;
    D.Processes.push_back(Im);
    Processes[I].Id = I + 1;
    Processes[I].Rows.resize(S.Stacks + size_t(1));
    Processes[I].RowHeaps.resize(S.Stacks + size_t(1));
    Processes[I].Buffer.Process = I + 1;
    Processes[I].Intervals = std::make_unique<IntervalBatch>(I + 1);
    A.beginProcess(I + 1, 0);
    Running.push_back(&Processes[I]);
    for (uint32_t T = 0; T < S.Threads; ++T) {
      memkit::Thread Th;
      Th.Process = I + 1;
      Th.Tid = Im.Pid + T;
      D.Threads.push_back(Th);
      Processes[I].Threads.push_back(++Thread);
    }
  }
  return Out.write(D);
}

/// Mostly small sizes, some of megabytes.
uint64_t Program::sizeOf(uint16_t Heap) {
  if (Heap == 2 || Heap == 5 || Heap == 7)
    return (1 + R.below(512)) * 4096;
  static const uint16_t Usual[] = {16, 24, 32, 48, 64, 96, 128, 256, 512, 1024};
  if (!R.oneIn(8))
    return Usual[R.skewed(std::size(Usual))];
  return 1 + R.skewed(1 << 20);
}

uint32_t Program::rowOf(ProcessState &I, uint16_t Heap, uint32_t Stack) {
  if (I.Rows[Stack] && I.RowHeaps[Stack] == Heap)
    return I.Rows[Stack];
  I.RowHeaps[Stack] = Heap;
  return I.Rows[Stack] = A.stackRow(I.Id, Heap, Stack);
}

Event &Program::record(ProcessState &I, EventKind Kind, uint32_t Thread,
                       uint64_t Block) {
  if (I.Buffer.Rows.empty())
    I.Buffer.FirstAllocationId = I.NextAllocationId;
  Event E;
  E.TimeNs = I.LastNs = Now;
  E.Kind = Kind;
  E.Thread = Thread;
  E.Block = Block;
  I.Buffer.Rows.push_back(E);
  I.Events += 1;
  columns(I, 0, 0);
  return I.Buffer.Rows.back();
}

/// The optional columns of the last row.
void Program::columns(ProcessState &I, uint64_t Address, uint64_t Enclosing) {
  EventColumns &C = I.Buffer.Columns;
  size_t N = I.Buffer.Rows.size();
  if (S.Addresses) {
    C.Address.resize(N);
    C.Address[N - 1] = Address;
  }
  if (S.Nested) {
    C.Enclosing.resize(N);
    C.Enclosing[N - 1] = Enclosing;
  }
}

/// A program works in phases: each phase allocates from a few thousand stacks,
/// and now and then from any earlier stack.
uint32_t Program::pickStack() {
  constexpr uint64_t WorkingSet = 4096;
  uint64_t Begin = uint64_t(S.Stacks) * A.events() / S.Events;
  if (R.oneIn(32))
    return 1 + R.below(Begin + 1);
  uint64_t Width = std::min<uint64_t>(WorkingSet, S.Stacks - Begin);
  return 1 + Begin + R.skewed(Width);
}

void Program::allocate(ProcessState &I, uint32_t Thread) {
  // Most stacks allocate from one heap.
  uint32_t Stack = pickStack();
  bool Other = Stack % 50 == 0 && R.oneIn(4);
  uint16_t Heap = 1 + (Stack * 7919u + Other) % S.Heaps;
  Block B;
  B.AllocationId = I.NextAllocationId;
  B.Size = sizeOf(Heap);
  B.AllocatedNs = Now;
  B.Stack = Stack;
  B.Heap = Heap;
  B.Ref = {B.AllocationId, rowOf(I, Heap, Stack), 0};
  B.Address =
      S.Addresses ? 0x7f0000000000 + R.below(uint64_t(1) << 32) * 16 : 0;
  B.Enclosing = 0;
  Event &E = record(I, EventKind::Allocate, Thread, B.AllocationId);
  E.Size = B.Size;
  E.Stack = Stack;
  E.Heap = Heap;
  I.NextAllocationId += 1;
  if (S.Nested && I.Arena != UINT64_MAX &&
      (Heap == 1 || Heap == 3 || Heap == 4) && B.Size <= I.ArenaRoom) {
    B.Enclosing = I.Arena + 1;
    I.ArenaRoom -= B.Size;
    I.ArenaInner += 1;
    A.allocateIn(B.Ref, I.ArenaRef, B.Size, Now, Thread);
  } else {
    A.allocate(B.Ref, B.Size, Now, Thread);
    if (S.Nested && Heap == 2 && I.ArenaRoom < 4096) {
      I.Arena = B.AllocationId;
      I.ArenaRef = B.Ref;
      I.ArenaRoom = B.Size;
      I.ArenaInner = 0;
    }
  }
  columns(I, B.Address, B.Enclosing);
  I.Live.push_back(B);
}

void Program::free(ProcessState &I, uint32_t Thread, size_t At) {
  Block B = I.Live[At];
  if (enclosesOthers(I, B))
    return;
  if (B.AllocationId == I.Arena)
    I.Arena = UINT64_MAX;
  if (B.Enclosing && B.Enclosing == I.Arena + 1) {
    I.ArenaRoom += B.Size;
    I.ArenaInner -= 1;
  }
  I.Live[At] = I.Live.back();
  I.Live.pop_back();
  record(I, EventKind::Free, Thread, B.AllocationId);
  A.free(B.Ref, B.Size, Now, Thread, B.Enclosing);
}

void Program::resizeOrSplit(ProcessState &I, uint32_t Thread) {
  Block &B = I.Live[R.below(I.Live.size())];
  if (B.Enclosing || B.AllocationId == I.Arena)
    return;
  if (R.oneIn(2)) {
    uint64_t Size = B.Size / 2 + R.below(B.Size + 1);
    record(I, EventKind::Resize, Thread, B.AllocationId).Size = Size;
    A.resize(B.Ref, B.Size, Size, Now);
    B.Size = Size;
    return;
  }
  Block Rest = B;
  Rest.Ref.AllocationId = Rest.AllocationId = I.NextAllocationId;
  uint64_t Size = R.below(B.Size + 1);
  record(I, EventKind::Split, Thread, B.AllocationId).Size = Size;
  I.NextAllocationId += 1;
  A.split(B.Ref, Now);
  Rest.Size = B.Size - Size;
  if (Rest.Address)
    Rest.Address += Size;
  B.Size = Size;
  I.Live.push_back(Rest);
}

void Program::event(ProcessState &I) {
  uint32_t Thread = I.Threads[R.skewed(I.Threads.size())];
  uint64_t Target = S.Live / Running.size() + 1;
  uint64_t Dice = R.below(1000);
  // Around the target as many blocks are freed as allocated.
  uint64_t Up = I.Live.size() < Target ? 530 : 470;
  if (Dice < Up || I.Live.empty())
    allocate(I, Thread);
  else if (Dice > 997)
    resizeOrSplit(I, Thread);
  else // mostly a late block
    free(I, Thread, I.Live.size() - 1 - R.skewed(I.Live.size()));
}

Error Program::writeSnapshot(ProcessState &I) {
  I.LastSnapshot = I.Events;
  std::vector<Block> Sorted = I.Live;
  std::sort(Sorted.begin(), Sorted.end(), [](const Block &X, const Block &Y) {
    return X.AllocationId < Y.AllocationId;
  });
  Snapshot K;
  K.Process = I.Id;
  K.TimeNs = I.LastNs;
  K.Events = I.Events;
  K.NextAllocationId = I.NextAllocationId;
  for (size_t At = 0; At < Sorted.size() || At == 0; At += MaxSectionRows) {
    K.Blocks.clear();
    size_t End = std::min(Sorted.size(), At + MaxSectionRows);
    for (size_t B = At; B < End; ++B)
      K.Blocks.push_back({Sorted[B].AllocationId, Sorted[B].Size,
                          Sorted[B].AllocatedNs, Sorted[B].Stack, 0,
                          Sorted[B].Heap, Sorted[B].Address,
                          Sorted[B].Enclosing});
    K.Last = End == Sorted.size();
    if (Error E = Out.write(K))
      return E;
    K.Part += 1;
  }
  return Error::success();
}

/// Writes the collected events of all processes. The next epoch's events must
/// be later than the last event: epochs do not overlap in time.
Error Program::closeEpoch() {
  for (ProcessState &I : Processes) {
    if (I.Buffer.Rows.empty())
      continue;
    I.Buffer.Epoch = Epoch;
    if (Error E = Out.write(I.Buffer))
      return E;
    I.Buffer.Rows.clear();
    I.Buffer.Columns.clear();
    if (!A.isEnded(I.Id) && I.Events - I.LastSnapshot >=
                                std::max<uint64_t>(65536, I.Live.size() * 8))
      if (Error E = writeSnapshot(I))
        return E;
  }
  if (!Notes.Rows.empty()) {
    A.countMarks(Notes.Rows.size());
    if (Error E = Out.write(Notes))
      return E;
    Notes.Rows.clear();
  }
  ++Epoch;
  Now = std::max(Now + TimeUnitNs, A.floorNs());
  return Error::success();
}

Error Program::cutInterval(ProcessState &I, uint64_t TimeNs) {
  A.cutInterval(I.Id, TimeNs, I.NextAllocationId, A.dueDetail(I.Id), Cut);
  return I.Intervals->add(Cut, WriteIntervals);
}

Error Program::beginStep(uint64_t Step) {
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = 1;
  M.Id = Step;
  M.TimeNs = Now = A.boundary(Now);
  Notes.Rows.push_back(M);
  A.beginStep(1, Step, Now);
  return A.stepIntervalDue(1) ? cutInterval(Processes[0], Now)
                              : Error::success();
}

Error Program::cutTimeIntervals() {
  for (ProcessState *I : Running)
    if (Now >= A.nextIntervalNs(I->Id) && A.timeIntervalDue(I->Id, Now)) {
      Now = A.boundary(Now);
      if (Error E = cutInterval(*I, Now))
        return E;
    }
  return Error::success();
}

Error Program::endProcess(ProcessState &I) {
  Now = A.boundary(Now);
  A.expectLastCut(I.Id);
  if (Error E = cutInterval(I, Now))
    return E;
  A.endProcess(I.Id, Now, 0, 0);
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = I.Id;
  M.TimeNs = Now;
  M.Values = {0, 0};
  Notes.Rows.push_back(M);
  I.Live.clear();
  Running.erase(std::find(Running.begin(), Running.end(), &I));
  return Error::success();
}

Error Program::finish() {
  while (!Running.empty())
    if (Error E = endProcess(*Running.back()))
      return E;
  if (Error E = closeEpoch())
    return E;
  for (ProcessState &I : Processes)
    if (Error E = I.Intervals->flush(WriteIntervals))
      return E;
  if (Error E = A.lifetimes([&](const Lifetimes &L) { return Out.write(L); }))
    return E;
  if (Error E = A.summary(1, Now,
                          [&](const Summary &Part) { return Out.write(Part); }))
    return E;
  return Out.finish();
}

Error Program::run(const std::vector<uint32_t> &HeapNames) {
  if (Error E = declare(HeapNames))
    return E;
  uint64_t PerStep = S.Steps ? S.Events / S.Steps + 1 : UINT64_MAX;
  // Processes except the first end one after another in the second half.
  uint64_t Half = S.Events / 2, PerEnd = Half / S.Processes + 1;
  ProcessState *Turn = Running.front();
  while (A.events() < S.Events) {
    uint64_t N = A.events();
    if (S.Steps && N / PerStep + 1 > A.numSteps(1))
      if (Error E = beginStep(N / PerStep + 1))
        return E;
    if (Running.size() > 1 &&
        N > Half + PerEnd * (S.Processes - Running.size()))
      if (Error E = endProcess(*Running.back()))
        return E;
    if (N % 1024 == 0)
      if (Error E = cutTimeIntervals())
        return E;
    // A process runs for a while before another process does. At equal times
    // the lower process would come first, so the clock advances.
    ProcessState *Before = Turn;
    if (R.oneIn(64) || A.isEnded(Turn->Id))
      Turn = Running[R.below(Running.size())];
    Now += (R.below(6) + (Turn != Before)) * TimeUnitNs;
    event(*Turn);
    if (Turn->Buffer.Rows.size() == MaxSectionRows)
      if (Error E = closeEpoch())
        return E;
  }
  return finish();
}

} // namespace

Error gentrace::writeProgram(const Shape &S, TraceWriter &Out,
                             const std::vector<uint32_t> &HeapNames) {
  return Program(S, Out).run(HeapNames);
}
