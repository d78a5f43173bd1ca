// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers, operators and functions of TensorFlow.

#include "Scopes/TensorFlowScopes.h"
#include "Output/Recording.h"
#include "Wire/TensorFlowDtypes.h"
#include <bit>

using namespace llvm;
using namespace memkit;

namespace {

/// RunningScope::Detail of TensorFlow's scopes.
struct TensorFlowDetail {
  uint32_t Chain = 0;   ///< of the graph node's layers
  uint8_t DataType = 0; ///< TF_DataType of the operator's first result
  bool IsBackward = false;
  bool IsCall = false;      ///< of a function
  bool HasFunction = false; ///< the thread calls or works for a function

  static TensorFlowDetail of(const RunningScope &O) {
    return std::bit_cast<TensorFlowDetail>(O.Detail);
  }
  void setIn(RunningScope &O) const {
    O.Detail = std::bit_cast<uint64_t>(*this);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static constexpr uint8_t Float32 = 1;

static StringRef dataTypeName(uint8_t Type) {
  return wire::tensorFlowDtype(Type);
}

uint32_t TensorFlowScopes::resultDtype(uint32_t Ring) {
  for (const RunningScope &O : reverse(Threads.ring(Ring).Opens)) {
    if (!O.IsOperator)
      continue;
    uint8_t Type = O.Owner == this ? TensorFlowDetail::of(O).DataType : 0;
    StringRef Name = dataTypeName(Type);
    if (Name.empty())
      return 0;
    uint32_t &String = DataTypes[Type];
    if (!String)
      String = Threads.recording().names().Names.string(Name);
    return String;
  }
  return 0;
}

/// `MatMul (float16)`; `MatMul`, if the type is float32, the usual one.
uint32_t TensorFlowScopes::operatorText(uint32_t Text, uint8_t DataType) {
  StringRef Type = dataTypeName(DataType);
  if (Type.empty() || DataType == Float32)
    return Text;
  uint64_t Key = uint64_t(DataType) << 32 | Text;
  if (auto It = TypedTexts.find(Key); It != TypedTexts.end())
    return It->second;
  uint32_t Own = Threads.names().own(
      (Twine(Threads.name(Text).Text) + " (" + Type + ")").str());
  return TypedTexts[Key] = Own ? Own : Text;
}

const TensorFlowScopes::NodeParts &TensorFlowScopes::nodeParts(uint32_t Text) {
  if (auto It = Nodes.find(Text); It != Nodes.end())
    return It->second;
  GraphNode N =
      Graphs.parse(StringRef(Threads.name(Text).Text).split('\n').first);
  // name() bounds the number of texts, not the number of invalid ones.
  NodeParts &P = Nodes[Nodes.size() < ScopeNames::MaxNames ? Text : 0];
  P = {};
  P.In = N.In;
  for (const std::string &Layer : N.Layers)
    if (uint32_t Own = Threads.names().own(Layer))
      P.Layers.push_back(Own);
  if (!N.Optimizer.empty())
    P.Optimizer = Threads.names().own(N.Optimizer);
  return P;
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

bool TensorFlowScopes::take(const wire::ScopeBeginRecord &Rec,
                            RecordOrigin From) {
  RingScopes &Of = Threads.ring(From.Ring);
  RunningScope O = ScopeThreads::newScope(Of, uint64_t(Rec.Number));
  uint32_t Text = ScopeNames::numberOf(Rec.Text), In = 0;
  switch (Rec.Flags & wire::SF_KindMask) {
  case wire::SF_Layer:
    In = Layers.beginLayer(Of, O, Rec.Flags & wire::SF_Unnamed, Text);
    break;
  case wire::SF_Operator:
    In = beginOperator(Rec, From, O);
    break;
  case wire::SF_Range:
    In = beginRange(Rec, From, O);
    break;
  default:
    return false;
  }
  Layers.open(O, In, Text, From);
  return true;
}

/// An operator outside of graphs has inputs alone.
bool TensorFlowScopes::hasNodeName(uint32_t Text, uint64_t Flags) const {
  return !(Flags & wire::SF_WithInputs) ||
         !StringRef(Threads.name(Text).Text).starts_with("\n");
}

bool TensorFlowScopes::take(const wire::OperatorWorkRecord &Rec,
                            RecordOrigin From) {
  Threads.operators().table().work(From.Ring, Rec.Flops);
  return true;
}

uint32_t TensorFlowScopes::beginOperator(const wire::ScopeBeginRecord &Rec,
                                         RecordOrigin From, RunningScope &O) {
  uint32_t In = O.Outside.ScopePath;
  if (uint32_t Node = ScopeNames::numberOf(Rec.graphNode()))
    if (hasNodeName(Node, Rec.Flags))
      In = beginNode(From.Ring, O, Node);
  uint32_t Text = operatorText(ScopeNames::numberOf(Rec.Text), Rec.dataType());
  In = Threads.enter(In, ScopeKind::Operator, Text);
  O.IsOperator = true;
  O.Owner = this;
  TensorFlowDetail Detail = TensorFlowDetail::of(O);
  Detail.DataType = Rec.dataType();
  Detail.setIn(O);
  OperatorRows &Rows = Threads.operators();
  uint32_t Row = Rows.rowOf(Text, Detail.IsBackward);
  if (Rec.Flags & wire::SF_WithInputs)
    Row = Rows.rowOfShapes(Row, Text, ScopeNames::numberOf(Rec.graphNode()));
  Rows.table().begin(From.Ring, Row, Threads.timeNs(From));
  return In;
}

/// Enters what the graph node's name says, up to the operator.
uint32_t TensorFlowScopes::beginNode(uint32_t Ring, RunningScope &O,
                                     uint32_t Text) {
  RingScopes &Of = Threads.ring(Ring);
  uint32_t In = Of.Now.ScopePath;
  const NodeParts &P = nodeParts(Text);
  bool IsBackward = P.In == GraphNode::Direction::Backward;
  if (IsBackward)
    if (auto It = Functions.find(functionOf(Ring)); It != Functions.end())
      It->second.Trains = true;
  if (IsBackward && Of.Now.In != TrainingPhase::Backward)
    In = Layers.enterPhase(Of, In, TrainingPhase::Backward);
  if (P.Optimizer) {
    if (Of.Now.In == TrainingPhase::None)
      In = Layers.enterPhase(Of, In, TrainingPhase::Optimizer);
    return Threads.enter(In, ScopeKind::Range, P.Optimizer);
  }
  if (P.Layers.empty())
    return In;
  if (Of.Now.In == TrainingPhase::None)
    In = Layers.enterPhase(Of, In, TrainingPhase::Forward);
  for (uint32_t Layer : P.Layers) {
    In = Layers.enterLayer(In, Layer);
    Of.Now.Chain = Layers.chainOf(Of.Now.Chain, Layer);
  }
  O.Measured = ScopeMeasure::Layer;
  TensorFlowDetail{.Chain = Of.Now.Chain, .IsBackward = IsBackward}.setIn(O);
  return In;
}

uint32_t TensorFlowScopes::beginRange(const wire::ScopeBeginRecord &Rec,
                                      RecordOrigin From, RunningScope &O) {
  uint32_t Text = ScopeNames::numberOf(Rec.Text);
  // A number of 64 bits could be a key that the map reserves.
  if (Rec.Flags & wire::SF_Link)
    return beginLink(From.Ring, O, Rec.linkedRange() & wire::Record::MaxSize);
  if (Rec.Flags & wire::SF_Outside)
    return Threads.enter(0, ScopeKind::Range, Text);
  if (Rec.Flags & wire::SF_Function)
    return beginFunction(From.Ring, O, Text);
  return Layers.beginOptimizer(Threads.ring(From.Ring), O, Text,
                               Rec.optimizer());
}

SmallVectorImpl<uint64_t> &TensorFlowScopes::functionsOf(uint32_t Ring) {
  if (Ring >= OfRings.size())
    OfRings.resize(Ring + size_t(1));
  return OfRings[Ring];
}

/// The innermost function that the thread calls or works for; 0: none.
uint64_t TensorFlowScopes::functionOf(uint32_t Ring) {
  SmallVectorImpl<uint64_t> &Of = functionsOf(Ring);
  return Of.empty() ? 0 : Of.back();
}

/// The thread calls the function, or works for the function, in the scope O.
void TensorFlowScopes::enterFunction(uint32_t Ring, RunningScope &O,
                                     uint64_t Number, bool IsCall) {
  functionsOf(Ring).push_back(Number);
  O.Owner = this;
  TensorFlowDetail{.IsCall = IsCall, .HasFunction = true}.setIn(O);
}

/// Enters the call of a function.
uint32_t TensorFlowScopes::beginFunction(uint32_t Ring, RunningScope &O,
                                         uint32_t Text) {
  RingScopes &Of = Threads.ring(Ring);
  const ScopeNames::ScopeName &N = Threads.name(Text);
  // A program of XLA is one operator, without gradients that can be seen.
  bool Trains = StringRef(N.Text).contains("train_step");
  O.EndsStep = N.EndsSteps && !Of.isInStep();
  O.Measured = ScopeMeasure::Range;
  ScopeContext Inside = Of.Now;
  Inside.ScopePath = Threads.enter(Inside.ScopePath, ScopeKind::Range, Text);
  if (Functions.size() != MaxFunctions) {
    enterFunction(Ring, O, O.Number, /*IsCall=*/true);
    Functions[O.Number] = {Inside, Text, Trains};
  }
  return Inside.ScopePath;
}

/// The thread works for a function from now on.
uint32_t TensorFlowScopes::beginLink(uint32_t Ring, RunningScope &O,
                                     uint64_t Number) {
  RingScopes &Of = Threads.ring(Ring);
  auto It = Functions.find(Number);
  if (It == Functions.end())
    return Of.Now.ScopePath;
  const ScopeContext &Inside = It->second.Inside;
  Of.Now.Chain = Inside.Chain;
  Of.Now.In = Inside.In;
  enterFunction(Ring, O, Number, /*IsCall=*/false);
  return Inside.ScopePath;
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

bool TensorFlowScopes::ended(const RunningScope &O, uint32_t Ring) {
  TensorFlowDetail Detail = TensorFlowDetail::of(O);
  if (Detail.HasFunction)
    functionsOf(Ring).pop_back();
  return Detail.IsCall && endFunction(O.Number);
}

/// Whether the end of the call is the end of a step: the first function that
/// computes gradients makes the steps, unless the program says otherwise.
bool TensorFlowScopes::endFunction(uint64_t Number) {
  auto It = Functions.find(Number);
  if (It == Functions.end())
    return false;
  FunctionRun F = It->second;
  Functions.erase(It);
  return F.Trains && Threads.steps().isMadeBy(F.Text);
}

/// Adds an operator to the layers of its name. The calls of these layers are
/// the calls of the function, or the steps of the program.
void TensorFlowScopes::endedLayer(const RunningScope &O, uint32_t Ring,
                                  const LayerRange &S,
                                  ScopeTotals::LayerWork Work, uint64_t) {
  TensorFlowDetail Detail = TensorFlowDetail::of(O);
  uint64_t Function = functionOf(Ring);
  uint64_t Call = Function ? Function : ~Threads.steps().count();
  for (uint32_t Link = Detail.Chain; Link != O.Outside.Chain && Link;
       Link = Layers.chain(Link).Outer) {
    uint32_t Name = Layers.layerName(Layers.chain(Link).Text);
    LayerStats &T = Threads.totals().addLayer(
        S, Name, Detail.IsBackward,
        {Link == Detail.Chain ? Work.SelfNs : 0, Work.Flops},
        Threads.measured());
    uint64_t &Last = LastFunctions[uint64_t(Detail.IsBackward) << 32 | Name];
    if (!T.Calls || Last != Call)
      T.Calls += 1;
    Last = Call;
  }
}
