// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A synthetic program, block by block.

#include "Program.h"
#include "../gentrace/Random.h"
#include "Stats/IntervalBatch.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace memkit::gengrowth {

std::vector<double> Program::level(bool OfLeaks) const {
  auto Points = static_cast<size_t>(Length);
  std::vector<double> Changes(Points + 1), Out;
  for (const MadeBlock &B : Blocks) {
    if (Sites[B.Site].Leaks != OfLeaks)
      continue;
    auto At = [&](double Time) {
      return static_cast<size_t>(std::clamp(Time, 0.0, Length));
    };
    Changes[At(B.Birth)] += static_cast<double>(B.Size);
    if (B.Death < Length)
      Changes[At(B.Death)] -= static_cast<double>(B.Size);
  }
  double Sum = 0;
  for (size_t I = 0; I != Points; ++I)
    Out.push_back(Sum += Changes[I]);
  return Out;
}

namespace {

class Recorder {
public:
  Recorder(const Program &P, TraceWriter &Out, bool WithEvents)
      : P(P), Out(Out), WithEvents(WithEvents), Batch(1) {}
  Error run();

private:
  struct TimePoint {
    double Time;
    uint32_t Block;
    bool Dies;
  };
  static constexpr uint64_t UnitNs = 100'000'000;

  Error declare();
  std::vector<TimePoint> timePoints() const;
  Error advance(double Time);
  Error beginStep();
  Error cut(uint64_t TimeNs);
  Error event(const TimePoint &M);
  Error closeEpoch();
  uint64_t nsOf(double Time) const {
    // The time before the first step takes a second.
    double Units = Time < 0 ? 10 + std::max(Time, -10.0) : 10 + Time;
    return static_cast<uint64_t>(Units * static_cast<double>(UnitNs));
  }

  const Program &P;
  TraceWriter &Out;
  bool WithEvents;
  LiveStats A;
  IntervalBatch Batch;
  Interval Cut;
  std::vector<uint32_t> Rows;          ///< by site
  std::vector<uint64_t> AllocationIds; ///< by block
  std::vector<uint32_t> Weights;       ///< by block; 0: not recorded
  uint64_t Now = 0, NextAllocationId = 0, Step = 0;
  uint32_t Epoch = 0;
  Events Buffer;
  Marks Notes;
};
} // namespace

Error Recorder::declare() {
  Dictionary D;
  StringMap<uint32_t> Ids;
  auto String = [&](StringRef Text) {
    auto [At, New] = Ids.try_emplace(Text, D.Strings.size() + 1);
    if (New)
      D.Strings.push_back(Text.str());
    return At->second;
  };
  auto Frame = [&](StringRef Name) {
    Function F;
    F.Name = String(Name);
    D.Functions.push_back(F);
    memkit::Frame Fr;
    Fr.Kind = FrameKind::Named;
    Fr.Container = D.Functions.size();
    D.Frames.push_back(Fr);
    return static_cast<uint32_t>(D.Frames.size());
  };
  StringMap<uint32_t> Frames;
  auto FrameOf = [&](StringRef Name) {
    auto [At, New] = Frames.try_emplace(Name, 0);
    if (New)
      At->second = Frame(Name);
    return At->second;
  };
  uint32_t Main = FrameOf("main"), Malloc = FrameOf("malloc");
  // Nodes of the tree: the common part of stacks exists once.
  StringMap<uint32_t> Groups;
  uint32_t NumNodes = 0;
  for (const Site &S : P.Sites) {
    NewStack St;
    std::vector<uint32_t> Own{FrameOf(S.Name), Malloc};
    auto [At, New] = Groups.try_emplace(S.Group, 0);
    if (New) {
      Own.insert(Own.begin(), FrameOf(S.Group));
      if (NumNodes == 0)
        Own.insert(Own.begin(), Main);
      St.Parent = NumNodes == 0 ? 0 : 1;
      At->second = NumNodes + (NumNodes == 0 ? 2 : 1);
    } else {
      St.Parent = At->second;
    }
    St.Length = Own.size();
    NumNodes += Own.size();
    append_range(D.NodeFrames, Own);
    D.Stacks.push_back(St);
  }
  ProcessRecord I;
  I.Pid = 1;
  I.Exe = String("/bin/" + P.Name);
  D.Processes.push_back(I);
  Thread Th;
  Th.Process = 1;
  Th.Tid = 1;
  D.Threads.push_back(Th);
  Heap H;
  H.Name = String("host.malloc");
  if (P.SampleBytes) {
    H.Flags = HF_Estimates;
    H.SampleBytes = P.SampleBytes;
  }
  D.Heaps.push_back(H);
  A.addHeap(1, H);
  A.beginProcess(1, 0);
  for (uint32_t S = 0; S != P.Sites.size(); ++S)
    Rows.push_back(A.stackRow(1, 1, S + 1));
  return Out.write(D);
}

std::vector<Recorder::TimePoint> Recorder::timePoints() const {
  std::vector<TimePoint> All;
  for (uint32_t I = 0; I != P.Blocks.size(); ++I) {
    const MadeBlock &B = P.Blocks[I];
    if (B.Birth >= P.Length || B.Birth >= P.ShutdownAt)
      continue;
    All.push_back({B.Birth, I, false});
    if (B.Death < P.Length && B.Death < P.ShutdownAt)
      All.push_back({B.Death, I, true});
  }
  // The shutdown frees all live blocks, the youngest first, in nine tenths of
  // the remaining time.
  if (P.ShutdownAt < P.Length) {
    std::vector<uint32_t> Left;
    for (uint32_t I = 0; I != P.Blocks.size(); ++I)
      if (P.Blocks[I].Birth < P.ShutdownAt &&
          !(P.Blocks[I].Death < P.ShutdownAt))
        Left.push_back(I);
    std::stable_sort(Left.begin(), Left.end(), [&](uint32_t X, uint32_t Y) {
      return P.Blocks[X].Birth > P.Blocks[Y].Birth;
    });
    double Part = (P.Length - P.ShutdownAt) * 0.9 /
                  static_cast<double>(std::max<size_t>(Left.size(), 1));
    for (size_t I = 0; I != Left.size(); ++I)
      All.push_back(
          {P.ShutdownAt + Part * static_cast<double>(I), Left[I], true});
  }
  std::stable_sort(
      All.begin(), All.end(),
      [](const TimePoint &X, const TimePoint &Y) { return X.Time < Y.Time; });
  return All;
}

Error Recorder::closeEpoch() {
  if (WithEvents && !Buffer.Rows.empty()) {
    Buffer.Process = 1;
    Buffer.Epoch = Epoch++;
    if (Error E = Out.write(Buffer))
      return E;
    Buffer.Rows.clear();
    Buffer.Columns.clear();
  }
  A.countMarks(Notes.Rows.size());
  Error E = Notes.Rows.empty() ? Error::success() : Out.write(Notes);
  Notes.Rows.clear();
  return E;
}

Error Recorder::cut(uint64_t TimeNs) {
  A.cutInterval(1, TimeNs, NextAllocationId, A.dueDetail(1), Cut);
  return Batch.add(Cut, [&](const Intervals &S) { return Out.write(S); });
}

Error Recorder::beginStep() {
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = 1;
  M.Id = ++Step;
  M.TimeNs = Now = A.boundary(std::max(Now, nsOf(double(Step) - 1)));
  Notes.Rows.push_back(M);
  A.beginStep(1, Step, Now);
  return A.stepIntervalDue(1) ? cut(Now) : Error::success();
}

/// Advances the clock to Time, and does everything due before.
Error Recorder::advance(double Time) {
  while (P.HasSteps && Time >= static_cast<double>(Step))
    if (Error E = beginStep())
      return E;
  uint64_t To = nsOf(Time);
  while (A.nextIntervalNs(1) <= To) {
    Now = A.boundary(std::max(Now, A.nextIntervalNs(1)));
    if (A.timeIntervalDue(1, Now))
      if (Error E = cut(Now))
        return E;
  }
  Now = std::max({Now + TimeUnitNs, A.floorNs(), To / TimeUnitNs * TimeUnitNs});
  return Error::success();
}

Error Recorder::event(const TimePoint &M) {
  const MadeBlock &B = P.Blocks[M.Block];
  uint32_t &Weight = Weights[M.Block];
  if (!M.Dies) {
    gentrace::Random R(M.Block * 7919 + 1);
    double Chance = sampleChance(B.Size, P.SampleBytes);
    if (static_cast<double>(R.next() >> 11) * 0x1p-53 >= Chance)
      return Error::success();
    Weight = sampleWeight(B.Size, P.SampleBytes, NextAllocationId);
  } else if (!Weight) {
    return Error::success();
  }
  if (Error E = advance(M.Time))
    return E;
  if (!M.Dies)
    AllocationIds[M.Block] = NextAllocationId++;
  BlockRef Ref{AllocationIds[M.Block], Rows[B.Site], 0};
  if (!M.Dies && P.SampleBytes)
    A.allocateSampled(Ref, BlockRef(), B.Size, Weight, Now, 1);
  else if (!M.Dies)
    A.allocate(Ref, B.Size, Now, 1);
  else if (P.SampleBytes)
    A.freeSampled(Ref, B.Size, Weight, Now);
  else
    A.free(Ref, B.Size, Now, 1);
  if (!WithEvents)
    return Error::success();
  if (Buffer.Rows.empty())
    Buffer.FirstAllocationId = M.Dies ? NextAllocationId : Ref.AllocationId;
  memkit::Event E;
  E.TimeNs = Now;
  E.Kind = M.Dies ? EventKind::Free : EventKind::Allocate;
  E.Thread = 1;
  E.Block = Ref.AllocationId;
  if (!M.Dies) {
    E.Size = B.Size;
    E.Stack = B.Site + 1;
    E.Heap = 1;
  }
  Buffer.Rows.push_back(E);
  if (P.SampleBytes)
    Buffer.Columns.Weight.push_back(M.Dies ? 0 : Weight);
  if (Buffer.Rows.size() < MaxSectionRows)
    return Error::success();
  // The next section's events must be later than the last event.
  Now += TimeUnitNs;
  return closeEpoch();
}

Error Recorder::run() {
  if (Error E = declare())
    return E;
  AllocationIds.resize(P.Blocks.size());
  Weights.resize(P.Blocks.size());
  for (const TimePoint &M : timePoints())
    if (Error E = event(M))
      return E;
  if (Error E = advance(P.Length))
    return E;
  Now = A.boundary(Now);
  if (Error E = cut(Now))
    return E;
  A.endProcess(1, Now, 0, 0);
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = 1;
  M.TimeNs = Now;
  M.Values = {0, 0};
  Notes.Rows.push_back(M);
  if (Error E = closeEpoch())
    return E;
  if (Error E = Batch.flush([&](const Intervals &S) { return Out.write(S); }))
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
