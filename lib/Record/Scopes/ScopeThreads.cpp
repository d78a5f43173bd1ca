// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open scopes of a process's threads.

#include "Scopes/ScopeThreads.h"
#include "Output/Recording.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

ScopeThreads::ScopeThreads(SharedProcess &Shared, Recording &R,
                           uint32_t Process, uint64_t BeginNs)
    : Shared(Shared), R(R), Clock(R.times().Clock), Process(Process),
      Names(Shared, R, Process), Operators(Shared, R.names().Names, Names),
      Steps(R, Process), Spans(R.stats(), Process, BeginNs),
      Totals(R.heaps(), Process) {}

bool ScopeThreads::RingScopes::isInStep() const {
  return any_of(Opens, [](const RunningScope &O) { return O.EndsStep; });
}

/// Of a scope that is measured, and no layer.
static ScopeKind kindOf(ScopeMeasure Measured) {
  return Measured == ScopeMeasure::Scope ? ScopeKind::User : ScopeKind::Range;
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

uint32_t ScopeThreads::enter(uint32_t Parent, ScopeKind Kind, uint32_t Text,
                             uint32_t Color) {
  std::pair<uint64_t, uint32_t> Key{uint64_t(Parent) << 8 | uint64_t(Kind),
                                    Text};
  if (auto It = Entered.find(Key); It != Entered.end())
    return It->second;
  return enterAs(Parent, Kind, Text, name(Text).Text, Color);
}

uint32_t ScopeThreads::enterAs(uint32_t Parent, ScopeKind Kind, uint32_t Id,
                               StringRef Name, uint32_t Color) {
  std::pair<uint64_t, uint32_t> Key{uint64_t(Parent) << 8 | uint64_t(Kind), Id};
  if (auto It = Entered.find(Key); It != Entered.end())
    return It->second;
  uint32_t ScopePath =
      R.scopePaths().enter(Parent, Kind, Name, 0, Color).ScopePath;
  if (Entered.size() < MaxKept)
    Entered[Key] = ScopePath;
  return ScopePath;
}

void ScopeThreads::measure(RingScopes &Of, const RunningScope &O,
                           uint32_t RangeText, RecordOrigin From) {
  if (O.Measured != ScopeMeasure::Layer)
    return Spans.begin(O.Number, RangeText, timeNs(From));
  Spans.beginLayer(O.Number, RangeText, timeNs(From));
  Of.Layers.push_back({0, Operators.table().flops(From.Ring)});
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

bool ScopeThreads::end(uint64_t Number, uint32_t &RingIndex, uint64_t TimeNs) {
  auto In = [Number](RingScopes &Of) {
    for (size_t I = Of.Opens.size(); I-- != 0;)
      if (Of.Opens[I].Number == Number)
        return I;
    return Of.Opens.size();
  };
  auto End = [&](uint32_t Ring) {
    size_t At = In(Rings[Ring]);
    if (At == Rings[Ring].Opens.size())
      return false;
    endFrom(RingIndex = Ring, At, TimeNs);
    return true;
  };
  ring(RingIndex);
  if (End(RingIndex))
    return true;
  for (uint32_t I = 0; I != Rings.size(); ++I)
    if (End(I))
      return true;
  return false;
}

bool ScopeThreads::endUnmeasured(uint64_t Number, RecordOrigin From) {
  RingScopes &Of = ring(From.Ring);
  if (Of.Opens.empty())
    return false;
  const RunningScope &O = Of.Opens.back();
  if (O.Number != Number || O.Measured != ScopeMeasure::None || O.EndsStep)
    return false;
  Of.Now = O.Outside;
  endScope(O, From.Ring, timeNs(From));
  Of.Opens.pop_back();
  return true;
}

/// Ends the scope First of the ring, and the scopes inside of it.
void ScopeThreads::endFrom(uint32_t Ring, size_t First, uint64_t TimeNs,
                           bool EndsSteps) {
  RingScopes &Of = Rings[Ring];
  Of.Now = Of.Opens[First].Outside;
  bool EndsStep = false;
  while (Of.Opens.size() > First)
    EndsStep |= endScope(Of.Opens.pop_back_val(), Ring, TimeNs);
  if (EndsStep && EndsSteps)
    Steps.add(TimeNs, 0);
}

/// Ends the scope O, but leaves the ring's list of open scopes to the caller.
/// Returns whether this ends a step.
bool ScopeThreads::endScope(const RunningScope &O, uint32_t Ring,
                            uint64_t TimeNs) {
  bool EndsStep = O.EndsStep;
  if (O.IsOperator)
    Operators.table().end(Ring, TimeNs);
  if (O.Owner && O.Owner->ended(O, Ring))
    EndsStep |= !Rings[Ring].isInStep();
  if (O.Measured == ScopeMeasure::Layer)
    endLayer(O, Ring, TimeNs);
  else if (O.Measured != ScopeMeasure::None)
    endMeasured(O.Number, TimeNs, kindOf(O.Measured));
  return EndsStep;
}

void ScopeThreads::endLayer(const RunningScope &O, uint32_t Ring,
                            uint64_t TimeNs) {
  RingScopes &Of = Rings[Ring];
  RingScopes::LayerBegin Begin = Of.Layers.pop_back_val();
  const LayerRange *S = Spans.endLayer(O.Number, TimeNs);
  if (!S)
    return;
  if (!Of.Layers.empty())
    Of.Layers.back().InnerNs += S->DurationNs;
  O.Owner->endedLayer(O, Ring, *S,
                      {S->DurationNs - std::min(Begin.InnerNs, S->DurationNs),
                       Operators.table().flops(Ring) - Begin.FlopsBefore},
                      TimeNs);
}

void ScopeThreads::endMeasured(uint64_t Number, uint64_t TimeNs,
                               ScopeKind Kind) {
  const ScopeResult *S = Spans.end(Number, TimeNs, Kind == ScopeKind::User);
  if (S)
    Totals.addScope(*S, Kind, name(S->Text).String);
}

void ScopeThreads::endRing(uint32_t I, uint64_t TimeNs, bool EndsSteps) {
  if (I < Rings.size() && !Rings[I].Opens.empty())
    endFrom(I, 0, TimeNs, EndsSteps);
}

void ScopeThreads::finish(uint64_t TimeNs) {
  for (uint32_t I = 0; I != Rings.size(); ++I)
    endRing(I, TimeNs, /*EndsSteps=*/false);
  Totals.moveTo(R.scopeTotals());
  Operators.addStats(Process, /*OnlyChanged=*/false, R.scopeTotals());
}

void ScopeThreads::addStats(uint64_t TimeNs, bool OnlyChanged,
                            std::vector<LayerStats> &Out) {
  ScopeTotals::OpenTotals Opens;
  for (const RingScopes &Of : Rings)
    for (const RunningScope &O : Of.Opens) {
      if (O.Measured != ScopeMeasure::Scope &&
          O.Measured != ScopeMeasure::Range)
        continue;
      if (const ScopeResult *S = Spans.find(O.Number, TimeNs))
        Totals.addOpen(*S, kindOf(O.Measured), name(S->Text).String, Opens);
    }
  Totals.addTo(Opens, OnlyChanged, Out);
  Operators.addStats(Process, OnlyChanged, Out);
}
