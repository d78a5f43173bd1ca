// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers, passes and optimizers.

#include "Scopes/LayerScopes.h"
#include "Output/Recording.h"

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Names a layer that has run without a name. Sections written before keep the
/// name of its class.
bool LayerScopes::take(const wire::ScopeNameRecord &Rec, ScopeOrigin) {
  uint32_t New = ScopeNames::numberOf(Rec.Name);
  auto It = UnnamedLayers.find(ScopeNames::numberOf(Rec.Unnamed));
  if (It == UnnamedLayers.end() || !New)
    return false;
  It->second.Text = New;
  Threads.recording().scopePaths().rename(It->second.Scope, ScopeKind::Layer,
                                          Threads.name(New).Text);
  return true;
}

/// The text of the name as known by now.
uint32_t LayerScopes::nameOf(uint32_t Text) const {
  auto It = UnnamedLayers.find(Text);
  return It != UnnamedLayers.end() && It->second.Text ? It->second.Text : Text;
}

uint32_t LayerScopes::layerName(uint32_t Text) {
  Text = nameOf(Text);
  return Text ? Threads.name(Text).String : 0;
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

static const char *phaseName(TrainingPhase Phase) {
  constexpr const char *Names[] = {"", "forward", "backward", "recompute",
                                   "optimizer"};
  return Names[size_t(Phase)];
}

uint32_t LayerScopes::enterPhase(RingScopes &Of, uint32_t Parent,
                                 TrainingPhase P) {
  Of.Now.In = P;
  return Threads.recording()
      .scopePaths()
      .enter(Parent, ScopeKind::Phase, phaseName(P), 0)
      .ScopePath;
}

uint32_t LayerScopes::enterLayer(uint32_t Parent, uint32_t Text) {
  auto It = UnnamedLayers.find(Text);
  if (It == UnnamedLayers.end())
    return Threads.enter(Parent, ScopeKind::Layer, Text);
  ScopeTree &Paths = Threads.recording().scopePaths();
  Unnamed &U = It->second;
  if (!U.Scope)
    U.Scope = Paths.newScope(ScopeKind::Layer, Threads.name(Text).Text);
  return Paths.enterScope(Parent, U.Scope);
}

uint32_t LayerScopes::enterLayers(uint32_t Parent, uint32_t Chain) {
  if (!Chain)
    return Parent;
  uint32_t Outer = enterLayers(Parent, Chains[Chain].Outer);
  return enterLayer(Outer, Chains[Chain].Text);
}

uint32_t LayerScopes::chainOf(uint32_t Outer, uint32_t Text) {
  uint64_t Link = uint64_t(Outer) << 32 | Text;
  if (auto It = ChainIds.find(Link); It != ChainIds.end())
    return It->second;
  uint32_t Depth = Chains[Outer].Depth + 1;
  if (Chains.size() == ScopeThreads::MaxKept || Depth > DeepestChain)
    return Outer;
  Chains.push_back({Outer, Text, Depth});
  return ChainIds[Link] = uint32_t(Chains.size() - 1);
}

uint32_t LayerScopes::beginLayer(RingScopes &Of, RunningScope &O,
                                 bool IsUnnamed, uint32_t Text) {
  uint32_t In = Of.Now.ScopePath;
  if (Of.Now.In == TrainingPhase::None)
    In = enterPhase(Of, In, TrainingPhase::Forward);
  else if (Of.Now.In == TrainingPhase::Backward)
    In = enterPhase(Of, In, TrainingPhase::Recompute);
  if (IsUnnamed && UnnamedLayers.size() < ScopeNames::MaxNames)
    UnnamedLayers.try_emplace(Text);
  In = enterLayer(In, Text);
  Of.Now.Chain = chainOf(Of.Now.Chain, Text);
  bool Backward = Of.Now.In == TrainingPhase::Recompute;
  measure(O, Backward, Backward ? LayerCall::Recomputed : LayerCall::Whole);
  return In;
}

uint32_t LayerScopes::beginOptimizer(RingScopes &Of, RunningScope &O,
                                     uint32_t Text, uint32_t Optimizer) {
  uint32_t In = Of.Now.ScopePath;
  const ScopeNames::ScopeName &N = Threads.name(Text);
  O.EndsStep = N.EndsSteps && !Of.isInStep();
  if (isOptimizer(N.Text)) {
    O.EndsStep |= Threads.steps().isMadeBy(uint64_t(Optimizer) << 32 | Text);
    if (Of.Now.In == TrainingPhase::None)
      In = enterPhase(Of, In, TrainingPhase::Optimizer);
  }
  O.Measured = ScopeMeasure::Range;
  return Threads.enter(In, ScopeKind::Range, Text);
}

//===----------------------------------------------------------------------===//
// Stats
//===----------------------------------------------------------------------===//

/// RunningScope::Detail of a run.
static constexpr uint64_t BackwardRun = 1;
static constexpr unsigned CallShift = 1;

void LayerScopes::measure(RunningScope &O, bool Backward, LayerCall Call) {
  O.Measured = ScopeMeasure::Layer;
  O.Owner = this;
  O.Detail = uint64_t(Call) << CallShift | (Backward ? BackwardRun : 0);
}

bool LayerScopes::isBackward(const RunningScope &O) {
  return O.Detail & BackwardRun;
}

void LayerScopes::endedLayer(const RunningScope &O, uint32_t,
                             const LayerRange &S, ScopeTotals::LayerWork Work,
                             uint64_t TimeNs) {
  uint32_t Name = layerName(S.Text);
  bool Backward = isBackward(O);
  auto Call = LayerCall(O.Detail >> CallShift);
  LayerStats &T =
      Threads.totals().addLayer(S, Name, Backward, Work, Threads.measured());
  if (Backward) {
    BackwardCalls &Calls = CallsOfLayers[Name];
    Calls.OfNodes += Call == LayerCall::Whole;
    Calls.Recomputed += Call == LayerCall::Recomputed;
    T.Calls = std::max(Calls.OfNodes, Calls.Recomputed);
  } else {
    T.Calls += 1;
  }
  addReserved(T, S, TimeNs);
}

void LayerScopes::addReserved(LayerStats &T, const LayerRange &S,
                              uint64_t TimeNs) {
  ScopeReserved::ReservedRange Held = Reserved.end(S.Number, TimeNs);
  if (!Held.Peak)
    return;
  auto &[KnownNs, WastedNs] = Wasted[uint64_t(T.Backward) << 32 | T.Name];
  KnownNs += Held.KnownNs;
  WastedNs += Held.WastedNs;
  if (KnownNs > 0)
    T.FragmentationPpm = uint32_t(WastedNs / KnownNs * 1e6 + 0.5);
}
