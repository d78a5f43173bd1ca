// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records synthetic programs.

#include "Recorder.h"
#include "../gentrace/Random.h"
#include "Stats/IntervalBatch.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/Sampling.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace memkit::gengrowth {

namespace {

/// A process while it is recorded.
struct RecordedProcess {
  explicit RecordedProcess(uint32_t Id, double FirstStep)
      : Id(Id), Batch(Id), NextStep(FirstStep) {
    Buffer.Process = Id;
  }
  uint32_t Id;
  IntervalBatch Batch;
  Events Buffer;
  uint64_t NextAllocationId = 0, Step = 0;
  double NextStep; ///< the time at which the next step begins
};

class Recorder {
public:
  Recorder(const Program &P, TraceWriter &Out, bool WithEvents)
      : P(P), Out(Out), WithEvents(WithEvents) {}
  Error run();

private:
  struct DueTime {
    uint64_t Ns = 0;
    RecordedProcess *Of = nullptr;
    bool IsStep = false;
  };
  static constexpr uint64_t UnitNs = 100'000'000;

  Error declare();
  DueTime nextDue(double Time);
  Error advance(double Time);
  Error beginStep(RecordedProcess &R, uint64_t Ns);
  Error cut(RecordedProcess &R, uint64_t TimeNs);
  Error event(const TimePoint &M);
  bool isRecorded(const TimePoint &M);
  void count(const TimePoint &M, BlockRef Ref, uint32_t Process);
  Error log(const TimePoint &M, uint64_t Block, RecordedProcess &R);
  Error closeEpoch();
  Error endProcesses();
  uint64_t nsOf(double Time) const {
    // The time before time 0 takes a second.
    double Units = 10 + std::max(Time, -10.0);
    return static_cast<uint64_t>(Units * static_cast<double>(UnitNs));
  }

  const Program &P;
  TraceWriter &Out;
  bool WithEvents;
  LiveStats A;
  Interval Cut;
  std::vector<RecordedProcess> Processes;
  std::vector<uint32_t> Stacks, Rows;  ///< by site
  std::vector<uint64_t> AllocationIds; ///< by block
  std::vector<uint32_t> Weights;       ///< by block; 0: not recorded
  uint64_t Now = 0;
  uint32_t Epoch = 0;
  size_t Buffered = 0;
  Marks Notes;
};
} // namespace

Error Recorder::declare() {
  if (Error E = writeNames(P, Out, Stacks))
    return E;
  for (uint32_t I = 0; I != P.Heaps.size(); ++I)
    A.addHeap(I + 1, heapOf(P, I));
  Processes.reserve(P.Processes);
  double FirstStep = P.HasSteps ? P.FirstStep : Never;
  for (uint32_t I = 0; I != P.Processes; ++I) {
    A.beginProcess(I + 1, 0);
    Processes.emplace_back(I + 1, FirstStep);
  }
  for (size_t S = 0; S != P.Sites.size(); ++S)
    Rows.push_back(
        A.stackRow(P.Sites[S].Process + 1, P.Sites[S].Heap + 1, Stacks[S]));
  AllocationIds.resize(P.Blocks.size());
  Weights.resize(P.Blocks.size());
  return Error::success();
}

Error Recorder::closeEpoch() {
  for (RecordedProcess &R : Processes) {
    if (R.Buffer.Rows.empty())
      continue;
    R.Buffer.Epoch = Epoch;
    if (Error E = Out.write(R.Buffer))
      return E;
    R.Buffer.Rows.clear();
    R.Buffer.Columns.clear();
  }
  Epoch += Buffered != 0;
  Buffered = 0;
  A.countMarks(Notes.Rows.size());
  Error E = Notes.Rows.empty() ? Error::success() : Out.write(Notes);
  Notes.Rows.clear();
  return E;
}

Error Recorder::cut(RecordedProcess &R, uint64_t TimeNs) {
  A.cutInterval(R.Id, TimeNs, R.NextAllocationId, A.dueDetail(R.Id), Cut);
  return R.Batch.add(Cut, [&](const Intervals &S) { return Out.write(S); });
}

Error Recorder::beginStep(RecordedProcess &R, uint64_t Ns) {
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = R.Id;
  M.Id = ++R.Step;
  M.TimeNs = Now = A.boundary(std::max(Now, Ns));
  Notes.Rows.push_back(M);
  A.beginStep(R.Id, R.Step, Now);
  R.NextStep += 1;
  for (const QuietTime &Q : P.Quiets)
    if (R.NextStep >= Q.From && R.NextStep < Q.To)
      R.NextStep = Q.To < P.Length ? Q.To : Never;
  return A.stepIntervalDue(R.Id) ? cut(R, Now) : Error::success();
}

/// What is due first, up to Time.
Recorder::DueTime Recorder::nextDue(double Time) {
  DueTime Due;
  uint64_t Before = nsOf(Time) + 1;
  for (RecordedProcess &R : Processes) {
    if (R.NextStep <= Time && nsOf(R.NextStep) < Before)
      Due = {Before = nsOf(R.NextStep), &R, true};
    if (A.nextIntervalNs(R.Id) < Before)
      Due = {Before = A.nextIntervalNs(R.Id), &R, false};
  }
  return Due;
}

/// Advances the clock to Time, and does everything due before.
Error Recorder::advance(double Time) {
  for (DueTime D = nextDue(Time); D.Of; D = nextDue(Time)) {
    if (D.IsStep) {
      if (Error E = beginStep(*D.Of, D.Ns))
        return E;
      continue;
    }
    Now = A.boundary(std::max(Now, D.Ns));
    if (A.timeIntervalDue(D.Of->Id, Now))
      if (Error E = cut(*D.Of, Now))
        return E;
  }
  Now = std::max(
      {Now + TimeUnitNs, A.floorNs(), nsOf(Time) / TimeUnitNs * TimeUnitNs});
  return Error::success();
}

/// Draws whether a block is sampled.
bool Recorder::isRecorded(const TimePoint &M) {
  const MadeBlock &B = P.Blocks[M.Block];
  const Site &S = P.Sites[B.Site];
  uint64_t Sample = S.Heap == 0 ? P.SampleBytes : 0;
  uint32_t &Weight = Weights[M.Block];
  if (M.Dies)
    return Weight != 0;
  gentrace::Random R(M.Block * 7919 + 1);
  if (static_cast<double>(R.next() >> 11) * 0x1p-53 >=
      sampleChance(B.Size, Sample))
    return false;
  Weight = sampleWeight(B.Size, Sample, Processes[S.Process].NextAllocationId);
  return true;
}

/// Counts an event in the stats.
void Recorder::count(const TimePoint &M, BlockRef Ref, uint32_t Process) {
  const MadeBlock &B = P.Blocks[M.Block];
  bool IsSampled = P.SampleBytes && P.Sites[B.Site].Heap == 0;
  uint32_t Weight = Weights[M.Block];
  if (!M.Dies && IsSampled)
    A.allocateSampled(Ref, BlockRef(), B.Size, Weight, Now, Process);
  else if (!M.Dies)
    A.allocate(Ref, B.Size, Now, Process);
  else if (IsSampled)
    A.freeSampled(Ref, B.Size, Weight, Now);
  else
    A.free(Ref, B.Size, Now, Process);
}

/// Writes an event.
Error Recorder::log(const TimePoint &M, uint64_t Block, RecordedProcess &R) {
  const MadeBlock &B = P.Blocks[M.Block];
  if (R.Buffer.Rows.empty())
    R.Buffer.FirstAllocationId = M.Dies ? R.NextAllocationId : Block;
  memkit::Event E;
  E.TimeNs = Now;
  E.Kind = M.Dies ? EventKind::Free : EventKind::Allocate;
  E.Thread = R.Id;
  E.Block = Block;
  if (!M.Dies) {
    E.Size = B.Size;
    E.Stack = Stacks[B.Site];
    E.Heap = P.Sites[B.Site].Heap + 1;
  }
  R.Buffer.Rows.push_back(E);
  if (P.SampleBytes)
    R.Buffer.Columns.Weight.push_back(M.Dies ? 0 : Weights[M.Block]);
  if (++Buffered < MaxSectionRows)
    return Error::success();
  // The next section's events must be later than the last event.
  Now += TimeUnitNs;
  return closeEpoch();
}

Error Recorder::event(const TimePoint &M) {
  if (!isRecorded(M))
    return Error::success();
  if (Error E = advance(M.Time))
    return E;
  uint32_t Site = P.Blocks[M.Block].Site;
  RecordedProcess &R = Processes[P.Sites[Site].Process];
  if (!M.Dies)
    AllocationIds[M.Block] = R.NextAllocationId++;
  BlockRef Ref{AllocationIds[M.Block], Rows[Site], 0};
  count(M, Ref, R.Id);
  return WithEvents ? log(M, Ref.AllocationId, R) : Error::success();
}

Error Recorder::endProcesses() {
  Now = A.boundary(Now);
  for (RecordedProcess &R : Processes) {
    A.expectLastCut(R.Id);
    if (Error E = cut(R, Now))
      return E;
    A.endProcess(R.Id, Now, 0, 0);
    Mark M;
    M.Kind = MarkKind::ProcessEnd;
    M.Process = R.Id;
    M.TimeNs = Now;
    M.Values = {0, 0};
    Notes.Rows.push_back(M);
  }
  return Error::success();
}

Error Recorder::run() {
  if (Error E = declare())
    return E;
  for (const TimePoint &M : P.timePoints())
    if (Error E = event(M))
      return E;
  if (Error E = advance(P.Length))
    return E;
  if (Error E = endProcesses())
    return E;
  if (Error E = closeEpoch())
    return E;
  for (RecordedProcess &R : Processes)
    if (Error E =
            R.Batch.flush([&](const Intervals &S) { return Out.write(S); }))
      return E;
  if (Error E = A.lifetimes([&](const Lifetimes &L) { return Out.write(L); }))
    return E;
  if (Error E = A.summary(1, Now,
                          [&](const Summary &Part) { return Out.write(Part); }))
    return E;
  return Out.finish();
}

Error writeProgram(const Program &P, Sink &Out, bool WithEvents) {
  Header H;
  H.Tool = "memkit-gengrowth";
  H.Command = {"./" + P.Name};
  H.TscHz = 1000000000;
  auto Writer = TraceWriter::create(Out, H);
  if (!Writer)
    return Writer.takeError();
  return Recorder(P, **Writer, WithEvents).run();
}

} // namespace memkit::gengrowth
