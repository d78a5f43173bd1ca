// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes, steps and marks that a process reports.

#include "Scopes/ProcessScopes.h"
#include "Output/Recording.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;
using namespace memkit;
using wire::MarkWhat;

ProcessScopes::ProcessScopes(SharedProcess &Shared, Recording &R,
                             uint32_t Process, uint64_t BeginNs)
    : Shared(Shared), R(R), Process(Process), Depth(Shared),
      Spans(R.Stats, Process, BeginNs),
      RowsOfShapes(Shared, R.Names.Names, Operators),
      Parameters(R.Parameters, Process) {}

ProcessScopes::RingScopes &ProcessScopes::ring(uint32_t I) {
  if (I >= Rings.size())
    Rings.resize(I + 1);
  return Rings[I];
}

/// The ring of a valid record.
static std::optional<uint32_t> ringIf(bool IsSense, RecordOrigin From) {
  return IsSense ? std::optional(From.Ring) : std::nullopt;
}

std::optional<uint32_t> ProcessScopes::take(const wire::ScopeBeginRecord &Rec,
                                            RecordOrigin From,
                                            uint32_t Thread) {
  return ringIf(begin(Rec, From, Thread), From);
}
std::optional<uint32_t> ProcessScopes::take(const wire::ScopeEndRecord &Rec,
                                            RecordOrigin From, uint32_t) {
  uint32_t Ring = From.Ring;
  end(Rec.Number, Ring, R.Times.Clock.toNs(From.Tsc));
  return Ring;
}
std::optional<uint32_t> ProcessScopes::take(const wire::MarkRecord &Rec,
                                            RecordOrigin From,
                                            uint32_t Thread) {
  return ringIf(mark(Rec, From, Thread), From);
}
std::optional<uint32_t> ProcessScopes::take(const wire::AskRecord &Rec,
                                            RecordOrigin From, uint32_t) {
  return ringIf(answer(Rec, From), From);
}
std::optional<uint32_t> ProcessScopes::take(const wire::ScopeNameRecord &Rec,
                                            RecordOrigin From, uint32_t) {
  return ringIf(nameLayer(numberOf(Rec.Unnamed), numberOf(Rec.Name)), From);
}

std::optional<uint32_t> ProcessScopes::take(const wire::LayerTensorRecord &Rec,
                                            RecordOrigin From, uint32_t) {
  uint32_t Layer = numberOf(Rec.Layer), Dtype = numberOf(Rec.Dtype);
  if (!Layer)
    return std::nullopt;
  if (!Dtype) {
    Parameters.begin(name(Layer).String);
    return From.Ring;
  }
  uint64_t Bytes = Rec.Kind & (wire::LayerTensorRecord::BufferBit - 1);
  Parameters.add(Rec.Address, name(Layer).String, name(Dtype).String,
                 Rec.Kind & wire::LayerTensorRecord::BufferBit, Rec.Elements,
                 Rec.Elements * Bytes);
  return From.Ring;
}

const ProcessScopes::ScopeName &ProcessScopes::name(uint32_t Text) {
  // The capture library never writes more names: Text is invalid.
  if (Names.size() >= MaxNames && !Names.count(Text))
    Text = 0;
  auto [It, New] = Names.try_emplace(Text);
  if (!New)
    return It->second;
  ScopeName &N = It->second;
  if (!Shared.text(Text, N.Text))
    R.addLoss(Process, LossKind::BadRecord, 1);
  if (N.Text.empty())
    N.Text = "(no name)";
  N.String = R.Names.Names.string(N.Text);
  N.EndsSteps = endsSteps(N.Text);
  return N;
}

/// Whether --step matches Name. A program with very many names has `#` in place
/// of the digits of its later names.
bool ProcessScopes::endsSteps(StringRef Name) const {
  if (!R.StepRange || R.StepRange->match(Name))
    return R.StepRange.has_value();
  std::string Digits = Name.str();
  std::replace(Digits.begin(), Digits.end(), '#', '0');
  return Digits != Name && R.StepRange->match(Digits);
}

/// Whether the ring is in a range that ends a step; ranges inside of that range
/// end no step.
bool ProcessScopes::isInStep(const RingScopes &Of) {
  return any_of(Of.Opens, [](const RunningScope &O) { return O.EndsStep; });
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

bool ProcessScopes::begin(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
                          uint32_t Thread) {
  uint64_t Flags = Rec.Flags, Number = Rec.Number;
  RingScopes &Of = ring(From.Ring);
  if (!Number || Of.Opens.size() == MaxOfRing)
    return false;
  if (Flags & wire::SF_TensorFlow)
    return beginTensorFlow(Rec, From);
  if (Flags & wire::SF_KindMask)
    return beginTorch(Rec, From);
  uint32_t Text = numberOf(Rec.Text);
  const ScopeName &N = name(Text);
  bool Measured = !(Flags & wire::SF_NoMeasure);
  if (Measured)
    Spans.begin(Number, Text, R.Times.Clock.toNs(From.Tsc));
  bool EndsStep = N.EndsSteps && Measured && !isInStep(Of);
  if (Flags & wire::SF_NoPath) {
    if (EndsStep && StepScopes.size() < MaxOfRing)
      StepScopes.insert(Number);
    return true;
  }
  Of.Opens.push_back({Number, Of.ScopePath, Of.Chain, Of.In,
                      Measured ? Measure::Scope : Measure::None, EndsStep,
                      Of.Place, /*IsUpdate=*/false, Of.Function});
  ScopeTree::Entered In =
      R.ScopePaths.enter(Of.ScopePath, ScopeKind::User, N.Text,
                         Depth.at(Rec.stack(), Flags & wire::SF_Python));
  Of.ScopePath = In.ScopePath;
  noteName(In, N, From, Thread);
  return true;
}

/// Adds a mark with the name of a scope whose scope path has another name.
void ProcessScopes::noteName(const ScopeTree::Entered &In, const ScopeName &N,
                             RecordOrigin From, uint32_t Thread) {
  if (!In.Folded || FoldedMarks++ >= MaxFoldedMarks)
    return;
  Mark M;
  M.Kind = MarkKind::ScopeName;
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = R.Times.markNs(From.Tsc);
  M.ScopePath = In.ScopePath;
  M.Name = N.String;
  R.addMark(std::move(M));
}

void ProcessScopes::end(uint64_t Number, uint32_t &RingIndex, uint64_t TimeNs) {
  auto In = [Number](RingScopes &Of) {
    for (size_t I = Of.Opens.size(); I-- != 0;)
      if (Of.Opens[I].Number == Number)
        return I;
    return Of.Opens.size();
  };
  RingScopes &Own = ring(RingIndex);
  if (size_t At = In(Own); At != Own.Opens.size())
    return endFrom(RingIndex, At, TimeNs);
  for (uint32_t I = 0; I != Rings.size(); ++I)
    if (size_t At = In(Rings[I]); At != Rings[I].Opens.size())
      return endFrom(RingIndex = I, At, TimeNs);
  endRange(Number, TimeNs, ScopeKind::User);
  if (StepScopes.erase(Number))
    step(TimeNs, 0);
}

/// Ends the scope First of the ring, and the scopes inside of it.
void ProcessScopes::endFrom(uint32_t Ring, size_t First, uint64_t TimeNs) {
  RingScopes &Of = Rings[Ring];
  const RunningScope &Outer = Of.Opens[First];
  Of.ScopePath = Outer.ScopePath;
  Of.Chain = Outer.Chain;
  Of.In = Outer.In;
  Of.Place = Outer.Place;
  Of.Function = Outer.Function;
  bool EndsStep = false;
  while (Of.Opens.size() > First) {
    RunningScope O = Of.Opens.pop_back_val();
    EndsStep |= O.EndsStep;
    if (O.IsUpdate)
      Categories.endUpdate();
    if (O.IsOperator)
      Operators.end(Ring, TimeNs);
    if (O.IsFunction)
      EndsStep |= endFunction(O.Number) && !isInStep(Of);
    if (O.Measured == Measure::Scope || O.Measured == Measure::Range)
      endRange(O.Number, TimeNs,
               O.Measured == Measure::Scope ? ScopeKind::User
                                            : ScopeKind::Range);
    else if (O.Measured != Measure::None) {
      LayerBegin Begin = Of.Layers.pop_back_val();
      const LayerRange *S = Spans.endLayer(O.Number, TimeNs);
      if (!S)
        continue;
      if (!Of.Layers.empty())
        Of.Layers.back().InnerNs += S->DurationNs;
      LayerWork Work{S->DurationNs - std::min(Begin.InnerNs, S->DurationNs),
                     Operators.flops(Ring) - Begin.FlopsBefore};
      O.NodeChain ? endNode(*S, O, Work.SelfNs) : endLayer(*S, O, Work, TimeNs);
    }
  }
  if (EndsStep)
    step(TimeNs, 0);
}

/// Adds the stats of all blocks in the scope, by memory space.
void ProcessScopes::addSpaces(LayerStats &T, const ScopeResult &S) {
  SpaceShares Of;
  size_t Spaces = std::max<size_t>(S.Spaces.size(), 1);
  for (uint32_t Space = 0; Space < Spaces; ++Space) {
    const ScopeStatsRow &Row = Space ? S.Spaces[Space] : S.Rows[0];
    SpaceShare Share{Space,
                     Row.Allocations,
                     Row.Frees,
                     Row.AllocatedBytes,
                     Row.FreedBytes,
                     /*LiveBytes=*/0,
                     Row.Peak,
                     Row.Peak - Row.Before};
    if (isAny(Share))
      Of.push_back(Share);
  }
  joinShares(T.Shares, Of);
}

void ProcessScopes::addTensors(LayerStats &T, const ScopeResult &S) const {
  for (uint32_t Heap = 1; Heap < S.Rows.size(); ++Heap) {
    if (!R.Heaps.isTensors(Heap))
      continue;
    const ScopeStatsRow &Row = S.Rows[Heap];
    T.TensorAllocations += Row.Allocations;
    T.TensorFrees += Row.Frees;
    T.TensorAllocatedBytes += Row.AllocatedBytes;
    T.TensorFreedBytes += Row.FreedBytes;
    T.TensorPeakBytes = std::max(T.TensorPeakBytes, Row.Peak);
    T.ReservedPeakBytes = std::max(T.ReservedPeakBytes, Row.ReservedPeak);
  }
}

static uint64_t keyOfScope(ScopeKind Kind, uint32_t Name) {
  return uint64_t(Kind) << 33 | Name;
}

/// Keeps only user scopes for queries: a program cannot query a range.
void ProcessScopes::endRange(uint64_t Number, uint64_t TimeNs, ScopeKind Kind) {
  const ScopeResult *S = Spans.end(Number, TimeNs, Kind == ScopeKind::User);
  if (S)
    addCall(totalOf(keyOfScope(Kind, name(S->Text).String)), *S, Kind);
}

/// Adds a scope that has ended, or an open scope up to now.
void ProcessScopes::addCall(LayerStats &T, const ScopeResult &S,
                            ScopeKind Kind) {
  const ScopeStatsRow &Host = S.Rows[0];
  T.Process = Process;
  T.Name = name(S.Text).String;
  T.Kind = Kind;
  T.Calls += 1;
  T.DurationNs += S.DurationNs;
  T.Allocations += Host.Allocations;
  T.Frees += Host.Frees;
  T.AllocatedBytes += Host.AllocatedBytes;
  T.PeakBytes = std::max(T.PeakBytes, Host.Peak);
  T.RiseBytes = std::max(T.RiseBytes, Host.Peak - Host.Before);
  addTensors(T, S);
  addSpaces(T, S);
}

void ProcessScopes::endRing(uint32_t I, uint64_t TimeNs) {
  if (I < Rings.size() && !Rings[I].Opens.empty())
    endFrom(I, 0, TimeNs);
}

void ProcessScopes::finish(uint64_t TimeNs) {
  // The end of the process completes no step, and starts none.
  StepScopes.clear();
  Functions.clear();
  for (RingScopes &Of : Rings)
    for (RunningScope &O : Of.Opens)
      O.EndsStep = false;
  for (uint32_t I = 0; I != Rings.size(); ++I)
    endRing(I, TimeNs);
  for (auto &[Name, T] : TotalStats)
    R.ScopeTotals.push_back(T.Stats);
  TotalStats.clear();
  addOperators(/*OnlyChanged=*/false, R.ScopeTotals);
}

void ProcessScopes::addStats(uint64_t TimeNs, bool OnlyChanged,
                             std::vector<LayerStats> &Out) {
  MapVector<uint64_t, LayerStats> Opens;
  for (const RingScopes &Of : Rings)
    for (const RunningScope &O : Of.Opens) {
      if (O.Measured != Measure::Scope && O.Measured != Measure::Range)
        continue;
      const ScopeResult *S = Spans.find(O.Number, TimeNs);
      if (!S)
        continue;
      ScopeKind Kind =
          O.Measured == Measure::Scope ? ScopeKind::User : ScopeKind::Range;
      uint64_t Key = keyOfScope(Kind, name(S->Text).String);
      auto [It, New] = Opens.insert({Key, LayerStats()});
      if (auto Ended = TotalStats.find(Key); New && Ended != TotalStats.end())
        It->second = Ended->second.Stats;
      addCall(It->second, *S, Kind);
    }
  for (auto &[Key, T] : TotalStats)
    if (bool IsWanted = !OnlyChanged || std::exchange(T.HasChanged, false);
        IsWanted && !Opens.count(Key))
      Out.push_back(T.Stats);
  for (auto &[Key, T] : Opens)
    Out.push_back(T);
  addOperators(OnlyChanged, Out);
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

bool ProcessScopes::mark(const wire::MarkRecord &Rec, RecordOrigin From,
                         uint32_t Thread) {
  Mark M;
  switch (Rec.What) {
  case MarkWhat::Step:
    HasOwnSteps = true;
    if (!R.StepRange)
      step(R.Times.Clock.toNs(From.Tsc), Thread);
    return true;
  case MarkWhat::User:
    M.Kind = MarkKind::User;
    WasMarked = true;
    M.Name = name(numberOf(Rec.Text)).String;
    break;
  case MarkWhat::RangeBegin:
    M.Kind = MarkKind::RangeBegin;
    M.Name = name(numberOf(Rec.Text)).String;
    M.Id = Rec.Range;
    break;
  case MarkWhat::RangeEnd:
    M.Kind = MarkKind::RangeEnd;
    M.Id = Rec.Range;
    break;
  case MarkWhat::Alert:
    if (Rec.Range && Rec.Range <= wire::MaxAlerts)
      R.tell(&RecordingListener::askedForAlert, Process, uint32_t(Rec.Range),
             name(numberOf(Rec.Text)).Text);
    return true;
  case MarkWhat::On:
    M.Kind = MarkKind::RecordOn;
    break;
  case MarkWhat::Off:
    M.Kind = MarkKind::RecordOff;
    break;
  default:
    return false;
  }
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = R.Times.markNs(From.Tsc);
  R.addMark(std::move(M));
  return true;
}

void ProcessScopes::step(uint64_t TimeNs, uint32_t Thread) {
  while (R.Stats.isCutting(Process))
    R.goOnCutting(Process);
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = R.boundaryNs(TimeNs);
  M.Id = ++Steps;
  R.HasSteps = true;
  R.MaxSteps = std::max(R.MaxSteps, Steps);
  R.Stats.beginStep(Process, M.Id, M.TimeNs);
  if (R.Stats.stepIntervalDue(Process))
    R.cutInterval(Process, M.TimeNs);
  R.addMark(std::move(M));
}

//===----------------------------------------------------------------------===//
// Replies to queries
//===----------------------------------------------------------------------===//

static void write(const ScopeStatsRow &Row, StringRef Name,
                  wire::HeapReply &To) {
  std::memset(To.Name, 0, sizeof(To.Name));
  std::memcpy(To.Name, Name.data(), std::min(Name.size(), sizeof(To.Name) - 1));
  To.Allocations = Row.Allocations;
  To.Frees = Row.Frees;
  To.AllocatedBytes = Row.AllocatedBytes;
  To.FreedBytes = Row.FreedBytes;
  To.Before = Row.Before;
  To.Peak = Row.Peak;
  To.After = Row.After;
}

static void write(const ScopeStatsRow &Row, wire::ReservedReply &To) {
  To.IsKnown = Row.IsReservedKnown;
  To.Reserved = Row.Reserved;
  To.Peak = Row.ReservedPeak;
  To.Active = Row.Active;
}

void ProcessScopes::write(const ScopeResult &S, wire::Reply &To) const {
  To.DurationNs = S.DurationNs;
  To.NumHeaps = 0;
  To.Pad = 0;
  ::write(S.Rows[0], "host", To.Total);
  for (uint32_t Heap = 1;
       Heap < S.Rows.size() && To.NumHeaps != wire::MaxReplyHeaps; ++Heap)
    if (R.Stats.hasHeapOf(Process, Heap)) {
      ::write(S.Rows[Heap], To.Reserved[To.NumHeaps]);
      ::write(S.Rows[Heap], R.Heaps.heapName(Heap), To.Heaps[To.NumHeaps++]);
    }
}

bool ProcessScopes::answer(const wire::AskRecord &Rec, RecordOrigin From) {
  uint64_t Number = Rec.Scope;
  return Shared.answer(Rec.Slot, Rec.Ticket, [&](wire::Reply &To) {
    if (!Number)
      for (const RunningScope &O : ring(From.Ring).Opens)
        Number = O.Measured == Measure::Scope ? O.Number : Number;
    const ScopeResult *Found = Spans.find(Number, R.Times.Clock.toNs(From.Tsc));
    wire::Reply None{};
    None.NumHeaps = UINT32_MAX;
    if (Found)
      write(*Found, To);
    else
      To = None;
  });
}
