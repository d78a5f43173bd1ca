// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers and operators of PyTorch.
//
// Turns the reports of PyTorch's observers, and Python frames, into scope
// paths.
//
// Forward pass: forward > layers > operators.
//
// Backward pass: backward > the layers of the operator that made the node > the
// source line of this operator > node > operators.
//
// Modules that run in the backward pass (checkpoints): backward > recompute >
// as in the forward pass.
//
// Optimizer: optimizer > range > operators.

#include "Output/Recording.h"
#include "Scopes/ProcessScopes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

static constexpr StringLiteral EvaluatePrefix =
    "autograd::engine::evaluate_function: ";
static constexpr StringLiteral StepPrefix = "Optimizer.step#";

static const char *phaseName(unsigned Phase) {
  constexpr const char *Names[] = {"", "forward", "backward", "recompute",
                                   "optimizer"};
  return Names[Phase];
}

//===----------------------------------------------------------------------===//
// Scope paths
//===----------------------------------------------------------------------===//

/// Enters a scope whose name is a text of the process.
uint32_t ProcessScopes::enter(uint32_t Parent, ScopeKind Kind, uint32_t Text,
                              uint32_t Color) {
  std::pair<uint64_t, uint32_t> Key{uint64_t(Parent) << 8 | uint64_t(Kind),
                                    Text};
  if (auto It = Entered.find(Key); It != Entered.end())
    return It->second;
  return enterAs(Parent, Kind, Text, name(Text).Text, Color);
}

/// \p Id: distinguishes \p Name from other names of the kind.
uint32_t ProcessScopes::enterAs(uint32_t Parent, ScopeKind Kind, uint32_t Id,
                                StringRef Name, uint32_t Color) {
  std::pair<uint64_t, uint32_t> Key{uint64_t(Parent) << 8 | uint64_t(Kind), Id};
  if (auto It = Entered.find(Key); It != Entered.end())
    return It->second;
  uint32_t ScopePath =
      R.ScopePaths.enter(Parent, Kind, Name, 0, Color).ScopePath;
  if (Entered.size() < MaxKept)
    Entered[Key] = ScopePath;
  return ScopePath;
}

/// As enter(). A layer without a name gets a scope of its own.
uint32_t ProcessScopes::enterLayer(uint32_t Parent, uint32_t Text) {
  auto It = UnnamedLayers.find(Text);
  if (It == UnnamedLayers.end())
    return enter(Parent, ScopeKind::Layer, Text);
  Unnamed &U = It->second;
  if (!U.Scope)
    U.Scope = R.ScopePaths.newScope(ScopeKind::Layer, name(Text).Text);
  return R.ScopePaths.enterScope(Parent, U.Scope);
}

/// Names a layer that has run without a name. Sections written before keep the
/// name of its class.
bool ProcessScopes::nameLayer(uint32_t Old, uint32_t New) {
  auto It = UnnamedLayers.find(Old);
  if (It == UnnamedLayers.end() || !New)
    return false;
  It->second.Text = New;
  R.ScopePaths.rename(It->second.Scope, ScopeKind::Layer, name(New).Text);
  return true;
}

uint32_t ProcessScopes::enterPhase(RingScopes &Of, uint32_t Parent,
                                   TrainingPhase P) {
  Of.In = P;
  return R.ScopePaths.enter(Parent, ScopeKind::Phase, phaseName(unsigned(P)), 0)
      .ScopePath;
}

uint32_t ProcessScopes::chainOf(uint32_t Outer, uint32_t Text) {
  uint64_t Link = uint64_t(Outer) << 32 | Text;
  if (auto It = ChainIds.find(Link); It != ChainIds.end())
    return It->second;
  uint32_t Depth = Chains[Outer].Depth + 1;
  if (Chains.size() == MaxKept || Depth > DeepestChain)
    return Outer;
  Chains.push_back({Outer, Text, Depth});
  return ChainIds[Link] = uint32_t(Chains.size() - 1);
}

uint32_t ProcessScopes::enterLayers(uint32_t Parent, uint32_t Chain) {
  if (!Chain)
    return Parent;
  uint32_t Outer = enterLayers(Parent, Chains[Chain].Outer);
  return enterLayer(Outer, Chains[Chain].Text);
}

/// Enters the layers and the line of the operator that made a node of autograd.
uint32_t ProcessScopes::enterForward(uint32_t Parent, uint64_t Number,
                                     uint32_t &Chain) {
  if (Forwards.empty())
    return Parent;
  const ForwardOperator &F = Forwards[Number % NumForwards];
  if (!Number || F.Number != Number)
    return Parent;
  Chain = F.Chain;
  Parent = enterLayers(Parent, Chain);
  uint32_t Line = F.Node ? lineOf(F.Node) : 0;
  return Line ? enterAs(Parent, ScopeKind::Line, Line, LineTexts[Line])
              : Parent;
}

/// Whether a node of autograd, of the operator with this number, is the first
/// of its layer's run in the pass: a run has a node for each operator, and
/// more.
bool ProcessScopes::isFirstOfRun(uint64_t ForwardNumber, uint32_t Text) {
  const ForwardOperator &F = Forwards[ForwardNumber % NumForwards];
  if (!F.Run)
    return true;
  constexpr size_t MaxRuns = 1 << 16;
  if (BackwardRuns.size() >= MaxRuns)
    BackwardRuns.clear();
  std::pair<uint64_t, uint32_t> Node{ForwardNumber, Text};
  auto [It, IsNew] = BackwardRuns.try_emplace(F.Run, Node);
  return IsNew || It->second == Node;
}

static bool isOfTorch(StringRef File) {
  return File.contains("/torch/nn/") || File.contains("/torch/_") ||
         File.contains("/torch/autograd/") || File.contains("/torch/utils/") ||
         File.starts_with("<");
}

/// The line `model.py:17 Net.forward` of a node of Python frames, in LineTexts:
/// of the innermost frame outside of PyTorch; 0: none.
uint32_t ProcessScopes::lineOf(uint32_t Node) {
  if (auto It = Lines.find(Node); It != Lines.end())
    return It->second;
  uint32_t Line = findLine(Node);
  if (Lines.size() < MaxKept)
    Lines[Node] = Line;
  return Line;
}

uint32_t ProcessScopes::findLine(uint32_t Node) {
  for (uint32_t At = Node; At;) {
    SharedProcess::NodeInfo N;
    SharedProcess::CodeInfo C;
    SharedProcess::FunctionInfo F;
    std::string File, Function;
    if (!Shared.node(At, N) || N.isPair() || !Shared.code(N.Code, C) ||
        (C.Kind != wire::CodeKind::Python &&
         C.Kind != wire::CodeKind::PythonEntry) ||
        !Shared.function(C.Container, F) || !Shared.text(F.File, File) ||
        !Shared.text(F.Name, Function))
      break;
    if (!isOfTorch(File)) {
      std::string Line =
          (sys::path::filename(File) + ":" + Twine(C.Address) + " " + Function)
              .str();
      if (auto Known = LineIds.find(Line); Known != LineIds.end())
        return Known->second;
      if (LineTexts.size() == MaxKept)
        return 0;
      LineTexts.push_back(Line);
      return LineIds[Line] = uint32_t(LineTexts.size() - 1);
    }
    At = N.Parent;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

/// Enters a layer that a frame of Python shows.
uint32_t ProcessScopes::beginLayer(RingScopes &Of, RunningScope &O,
                                   uint64_t Flags, uint32_t Text) {
  uint32_t In = Of.ScopePath;
  if (Of.In == TrainingPhase::None)
    In = enterPhase(Of, In, TrainingPhase::Forward);
  else if (Of.In == TrainingPhase::Backward)
    In = enterPhase(Of, In, TrainingPhase::Recompute);
  if (Flags & wire::SF_Unnamed && UnnamedLayers.size() < MaxNames)
    UnnamedLayers.try_emplace(Text);
  In = enterLayer(In, Text);
  Of.Chain = chainOf(Of.Chain, Text);
  O.Measured =
      Of.In == TrainingPhase::Recompute ? Measure::Backward : Measure::Layer;
  O.Call =
      O.Measured == Measure::Layer ? LayerCall::Whole : LayerCall::Recomputed;
  return In;
}

/// Enters a range. The step of an optimizer is a range, and its end is the end
/// of a step of the program unless the program says otherwise.
uint32_t ProcessScopes::beginOptimizer(RingScopes &Of, RunningScope &O,
                                       uint32_t Text, uint32_t Optimizer) {
  uint32_t In = Of.ScopePath;
  const ScopeName &N = name(Text);
  O.EndsStep = N.EndsSteps && !isInStep(Of);
  if (StringRef(N.Text).starts_with(StepPrefix)) {
    uint64_t Which = uint64_t(Optimizer) << 32 | Text;
    StepRange = StepRange ? StepRange : Which;
    if (!R.StepRange)
      O.EndsStep = StepRange == Which && !HasOwnSteps;
    if (Of.In == TrainingPhase::None)
      In = enterPhase(Of, In, TrainingPhase::Optimizer);
  }
  O.Measured = Measure::Range;
  return enter(In, ScopeKind::Range, Text);
}

/// Starts to measure the scope O, with the scope path ScopePath, if necessary.
void ProcessScopes::open(RingScopes &Of, const RunningScope &O,
                         uint32_t ScopePath, uint32_t RangeText,
                         RecordOrigin From) {
  if (O.Measured != Measure::None) {
    uint64_t TimeNs = R.Times.Clock.toNs(From.Tsc);
    if (O.Measured == Measure::Range)
      Spans.begin(O.Number, RangeText, TimeNs);
    else {
      Spans.beginLayer(O.Number, RangeText, TimeNs);
      Of.Layers.push_back({0, Operators.flops(From.Ring)});
    }
    if (O.Measured < Measure::Node)
      Reserved.begin(O.Number, TimeNs);
  }
  Of.Opens.push_back(O);
  Of.ScopePath = ScopePath;
}

/// The number of the innermost layer's scope; 0: none.
uint64_t ProcessScopes::runOf(const RingScopes &Of) {
  for (const RunningScope &O : llvm::reverse(Of.Opens))
    if (O.Measured == Measure::Layer || O.Measured == Measure::Backward)
      return O.Number;
  return 0;
}

bool ProcessScopes::beginTorch(const wire::ScopeBeginRecord &Rec,
                               RecordOrigin From) {
  RingScopes &Of = ring(From.Ring);
  uint32_t Text = numberOf(Rec.Text);
  uint64_t Number = Rec.Number, Kind = Rec.Flags & wire::SF_KindMask;
  RunningScope O{Number,   Of.ScopePath,       Of.Chain,
                 Of.In,    Measure::None,      false,
                 Of.Place, /*IsUpdate=*/false, Of.Function};
  O.IsOperator = Kind == wire::SF_Operator || Kind == wire::SF_Backward;
  OperatorName Operator;
  if (O.IsOperator) {
    Operator = operatorName(Text, Kind == wire::SF_Backward);
    beginOperator(Operator, Rec, From);
  }
  enterPlace(Of, Kind, Operator, Text, O);
  uint32_t In = Of.ScopePath, RangeText = 0;
  switch (Kind) {
  case wire::SF_Layer:
    RangeText = Rec.Flags & wire::SF_Inner ? innerLayer(Of.Chain, Text) : Text;
    In = beginLayer(Of, O, Rec.Flags, RangeText);
    break;
  case wire::SF_Operator: {
    // The operator around a node of autograd adds nothing to the node's scope.
    if (Operator.IsEngine) {
      if (Of.In != TrainingPhase::Backward)
        In = enterPhase(Of, In, TrainingPhase::Backward);
      break;
    }
    In = enter(In, ScopeKind::Operator, Text);
    if (Forwards.empty())
      Forwards.resize(NumForwards);
    Forwards[Number % NumForwards] = {
        Number, Of.Chain, numberOf(Rec.pythonNode()), In, runOf(Of)};
    break;
  }
  case wire::SF_Continued: {
    uint64_t First = Rec.continued();
    bool IsKnown = !Forwards.empty() && First &&
                   Forwards[First % NumForwards].Number == First;
    In = IsKnown ? Forwards[First % NumForwards].ScopePath
                 : enter(In, ScopeKind::Operator, Text);
    break;
  }
  case wire::SF_Range:
    In = beginOptimizer(Of, O, RangeText = Text, Rec.optimizer());
    break;
  case wire::SF_Nvtx: {
    const ScopeName &N = name(Text);
    O.EndsStep = N.EndsSteps && !isInStep(Of);
    In = enter(In, ScopeKind::Range, Text, Rec.color());
    O.Measured = Measure::Range;
    RangeText = Text;
    break;
  }
  case wire::SF_Backward: {
    if (Of.In != TrainingPhase::Backward)
      In = enterPhase(Of, In, TrainingPhase::Backward);
    uint32_t Chain = 0, Made = enterForward(In, Rec.forwardOperator(), Chain);
    if (Made != In) {
      // The engine's work on the node's results belongs to the node's layer,
      // too.
      O.ScopePath = Made;
      Of.Chain = O.Chain = Chain;
    }
    if (Chain) {
      O.Measured = Measure::Backward;
      O.Call = isFirstOfRun(Rec.forwardOperator(), Text) ? LayerCall::Whole
                                                         : LayerCall::Part;
      RangeText = Chains[Chain].Text;
    }
    In = enter(Made, ScopeKind::Operator, Text);
    break;
  }
  default:
    return false;
  }
  open(Of, O, In, RangeText, From);
  return true;
}

/// Whether the operator makes tensors without reading any: `zeros`,
/// `new_zeros`, `zeros_like`.
static bool isMaking(StringRef Operator) {
  Operator.consume_front("aten::");
  Operator.consume_front("new_");
  for (StringRef Of : {"empty", "zeros", "ones", "full", "rand", "randn",
                       "randint", "randperm", "arange", "linspace", "eye",
                       "scalar_tensor", "from_file", "lift_fresh"})
    if (StringRef Rest = Operator;
        Rest.consume_front(Of) && (Rest.empty() || Rest == "_like" ||
                                   Rest == "_strided" || Rest == "_permuted"))
      return true;
  return false;
}

/// What the operator does outside of passes. A loader stacks samples.
static TrainingPlace outsideOfPasses(StringRef Operator) {
  if (isMaking(Operator))
    return TrainingPlace::Making;
  Operator.consume_front("aten::");
  return StringSwitch<TrainingPlace>(Operator)
      .Cases("to", "_to_copy", "copy_", "clone", "contiguous",
             TrainingPlace::Moving)
      .Cases("pin_memory", "_pin_memory", "stack", TrainingPlace::Moving)
      .Default(TrainingPlace::Computing);
}

/// An operator's name, added if new. Texts that became one name have one row.
const ProcessScopes::OperatorName &ProcessScopes::operatorName(uint32_t Text,
                                                               bool IsNode) {
  uint64_t Key = uint64_t(Text) << 1 | uint64_t(IsNode);
  if (auto It = OperatorNames.find(Key); It != OperatorNames.end())
    return It->second;
  // The capture library never writes more names: Text is invalid.
  if (Text && OperatorNames.size() >= 2 * MaxNames)
    return operatorName(0, IsNode);
  StringRef Name = name(Text).Text;
  OperatorName New{0, Name.starts_with(EvaluatePrefix), outsideOfPasses(Name)};
  auto [At, IsNew] = RowsOfNames.try_emplace(
      uint64_t(name(Text).String) << 1 | uint64_t(IsNode), 0);
  if (IsNew && (At->second = Operators.add()))
    OperatorTexts[At->second] = Key;
  New.Row = At->second;
  return OperatorNames[Key] = New;
}

/// Counts a call of an operator or node, in the row of its inputs' shapes.
void ProcessScopes::beginOperator(const OperatorName &Operator,
                                  const wire::ScopeBeginRecord &Rec,
                                  RecordOrigin From) {
  uint32_t Row = Operator.Row;
  bool IsOperator = (Rec.Flags & wire::SF_KindMask) == wire::SF_Operator;
  if (uint32_t Inputs = IsOperator ? numberOf(Rec.inputs()) : 0)
    Row = RowsOfShapes.rowOf(Row, name(numberOf(Rec.Text)).Text, Inputs);
  Operators.begin(From.Ring, Row, R.Times.Clock.toNs(From.Tsc));
}

void ProcessScopes::addOperators(bool OnlyChanged,
                                 std::vector<LayerStats> &Out) {
  for (uint32_t Row = 1; Row != Operators.numRows(); ++Row) {
    if (OnlyChanged && !Operators.takeChanged(Row))
      continue;
    LayerStats Stats = Operators.stats(Row);
    if (!Stats.Calls)
      continue;
    ShapeRows::RowShapes Shapes = RowsOfShapes.shapes(Row);
    uint64_t Text = OperatorTexts.lookup(Shapes.NameRow);
    Stats.Process = Process;
    Stats.Name = name(uint32_t(Text >> 1)).String;
    Stats.Backward = Text & 1;
    Stats.Shapes = Shapes.String;
    Out.push_back(std::move(Stats));
  }
}

/// Sets the thread's place in the training, for the categories of tensors.
void ProcessScopes::enterPlace(RingScopes &Of, uint64_t Kind,
                               const OperatorName &Operator, uint32_t Text,
                               RunningScope &O) {
  bool IsOutside = Of.Place < TrainingPlace::Forward;
  bool IsEngine = Kind == wire::SF_Backward || Operator.IsEngine;
  if (IsOutside && Of.Trains && !IsEngine)
    Categories.otherWork();
  switch (Kind) {
  case wire::SF_Layer:
    Of.Trains = true;
    if (IsOutside || Of.Place == TrainingPlace::Optimizer) {
      Categories.beginForward();
      Of.Place = TrainingPlace::Forward;
    } else if (Of.Place != TrainingPlace::Forward) {
      Of.Place = TrainingPlace::Recompute;
    }
    return;
  case wire::SF_Operator:
    if (IsEngine) {
      Of.Trains = true;
      Categories.beginBackward();
      Of.Place = TrainingPlace::Backward;
    } else if (Of.Place == TrainingPlace::Outside) {
      Of.Place = Operator.Outside;
    }
    return;
  case wire::SF_Range:
    if (StringRef(name(Text).Text).starts_with(StepPrefix)) {
      Of.Trains = true;
      Categories.beginUpdate();
      O.IsUpdate = true;
      Of.Place = TrainingPlace::Optimizer;
    }
    return;
  case wire::SF_Backward:
    Of.Trains = true;
    Categories.beginBackward();
    Of.Place = name(Text).Text == "torch::autograd::AccumulateGrad"
                   ? TrainingPlace::Accumulate
                   : TrainingPlace::Backward;
    if (Of.Place == TrainingPlace::Backward)
      Categories.beginNode();
    return;
  }
}

bool ProcessScopes::takeOperator(const wire::Record &Rec, uint32_t RingIndex) {
  RingScopes &Of = ring(RingIndex);
  if (Rec.is(wire::RecordKind::ScopeBegin)) {
    auto Begin = wire::decode<wire::ScopeBeginRecord>(Rec);
    return (Begin.Flags & (wire::SF_KindMask | wire::SF_TensorFlow)) ==
               wire::SF_Operator &&
           Begin.Number && Of.Opens.size() != MaxOfRing &&
           beginTorch(Begin, {Rec.Tsc, RingIndex});
  }
  uint64_t Number = wire::decode<wire::ScopeEndRecord>(Rec).Number;
  if (Of.Opens.empty() || Of.Opens.back().Number != Number ||
      Of.Opens.back().Measured != Measure::None || Of.Opens.back().EndsStep)
    return false;
  endFrom(RingIndex, Of.Opens.size() - 1, R.Times.Clock.toNs(Rec.Tsc));
  return true;
}

uint32_t ProcessScopes::layerName(uint32_t Text) {
  if (auto It = UnnamedLayers.find(Text);
      It != UnnamedLayers.end() && It->second.Text)
    Text = It->second.Text;
  return Text ? name(Text).String : 0;
}

/// The first share of Space or of a higher memory space.
static SpaceShares::iterator shareFrom(SpaceShares &Shares, uint32_t Space) {
  // Nearly always no memory space is missing between two shares.
  if (!Shares.empty())
    if (uint32_t I = Space - Shares.front().Space;
        I < Shares.size() && Shares[I].Space == Space)
      return Shares.begin() + I;
  return partition_point(Shares,
                         [&](const SpaceShare &S) { return S.Space < Space; });
}

/// The share of a memory space, added if missing.
SpaceShare &ProcessScopes::shareOf(LayerStats &T, uint32_t Space) {
  auto At = shareFrom(T.Shares, Space);
  if (At != T.Shares.end() && At->Space == Space)
    return *At;
  // T's peaks are of memory spaces without changes so far.
  if (T.Shares.empty())
    T.PeakBytes = T.ReservedPeakBytes = 0;
  At = T.Shares.insert(At, SpaceShare());
  At->Space = Space;
  return *At;
}

void ProcessScopes::addToLayer(LayerStats &T, uint32_t Space,
                               const LayerRange::HeapRow &Row) {
  SpaceShare &To = shareOf(T, Space);
  To.Allocations += Row.Allocations;
  To.Frees += Row.Frees;
  To.AllocatedBytes += Row.AllocatedBytes;
  To.FreedBytes += Row.FreedBytes;
  To.PeakBytes = std::max(To.PeakBytes, Row.Peak);
  To.ReservedPeakBytes = std::max(To.ReservedPeakBytes, Row.ReservedPeak);
  T.Allocations += Row.Allocations;
  T.Frees += Row.Frees;
  T.AllocatedBytes += Row.AllocatedBytes;
}

/// Raises the peaks of a layer to the live bytes of memory spaces that this run
/// did not change. For a layer that has changed no memory space at all, the
/// peak is the highest of all memory spaces.
void ProcessScopes::raisePeaks(LayerStats &T) const {
  for (uint32_t Heap : R.Heaps.allTensors()) {
    auto Raise = [&](auto &To) {
      To.PeakBytes = std::max(To.PeakBytes, Spans.liveBytes(Heap));
      To.ReservedPeakBytes =
          std::max(To.ReservedPeakBytes, Spans.reservedBytes(Heap));
    };
    uint32_t Space = R.Heaps.spaceOfTensors(Heap) - 1;
    if (T.Shares.empty())
      Raise(T);
    else if (auto S = shareFrom(T.Shares, Space);
             S != T.Shares.end() && S->Space == Space)
      Raise(*S);
  }
  for (const SpaceShare &S : T.Shares) {
    T.PeakBytes = std::max(T.PeakBytes, S.PeakBytes);
    T.ReservedPeakBytes = std::max(T.ReservedPeakBytes, S.ReservedPeakBytes);
  }
}

/// Adds only tensors to the layer's stats: Python objects are not the purpose
/// of a layer.
LayerStats &ProcessScopes::addLayer(const LayerRange &S, uint32_t Name,
                                    bool Backward, LayerWork Work) {
  LayerStats &T = totalOf(uint64_t(Backward) << 32 | Name);
  T.Process = Process;
  T.Name = Name;
  T.Kind = ScopeKind::Layer;
  T.Backward = Backward;
  T.DurationNs += S.DurationNs;
  T.SelfNs += Work.SelfNs;
  T.Flops = SaturatingAdd(T.Flops, Work.Flops);
  for (const LayerRange::HeapRow &Of : S.Changed)
    if (uint32_t Space = R.Heaps.spaceOfTensors(Of.Heap))
      addToLayer(T, Space - 1, Of);
  raisePeaks(T);
  return T;
}

void ProcessScopes::endLayer(const LayerRange &S, const RunningScope &O,
                             LayerWork Work, uint64_t TimeNs) {
  uint32_t Name = layerName(S.Text);
  bool Backward = O.Measured == Measure::Backward;
  LayerStats &T = addLayer(S, Name, Backward, Work);
  if (Backward) {
    BackwardCalls &Calls = CallsOfLayers[Name];
    Calls.OfNodes += O.Call == LayerCall::Whole;
    Calls.Recomputed += O.Call == LayerCall::Recomputed;
    T.Calls = std::max(Calls.OfNodes, Calls.Recomputed);
  } else {
    T.Calls += 1;
  }
  ScopeReserved::ReservedRange Held = Reserved.end(S.Number, TimeNs);
  if (!Held.Peak)
    return;
  auto &[KnownNs, WastedNs] = Wasted[uint64_t(Backward) << 32 | Name];
  KnownNs += Held.KnownNs;
  WastedNs += Held.WastedNs;
  if (KnownNs > 0)
    T.FragmentationPpm = uint32_t(WastedNs / KnownNs * 1e6 + 0.5);
}
