// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers, operators and functions of TensorFlow.
//
// An operator of a graph: the function's range > forward or backward > the
// layers of the node's name > operator; of an optimizer: optimizer > range >
// operator. The function's range is of the caller's thread: a link leads there
// from the threads that work for the function.
//
// An operator outside of graphs: as in PyTorch, with layers and the optimizer's
// range from Python's frames.
//
// The call of a function that computes gradients is a step of the program.

#include "Output/Recording.h"
#include "Scopes/ProcessScopes.h"

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// The number of a text of the recorder's own; 0: there are too many.
uint32_t ProcessScopes::ownText(StringRef Name) {
  if (auto It = OwnTexts.find(Name); It != OwnTexts.end())
    return It->second;
  if (OwnTexts.size() == MaxNames)
    return 0;
  uint32_t Text = FirstOwn + uint32_t(OwnTexts.size());
  ScopeName &N = Names[Text];
  N.Text = Name.str();
  N.String = R.Names.Names.string(N.Text);
  return OwnTexts[Name] = Text;
}

static constexpr uint8_t Float32 = 1;

/// The name of a TF_DataType; empty: unknown, or no type of elements.
static StringRef dataTypeName(uint8_t Type) {
  static constexpr StringLiteral Names[] = {"",
                                            "float32",
                                            "float64",
                                            "int32",
                                            "uint8",
                                            "int16",
                                            "int8",
                                            "string",
                                            "complex64",
                                            "int64",
                                            "bool",
                                            "qint8",
                                            "quint8",
                                            "qint32",
                                            "bfloat16",
                                            "qint16",
                                            "quint16",
                                            "uint16",
                                            "complex128",
                                            "float16",
                                            "",
                                            "",
                                            "uint32",
                                            "uint64",
                                            "float8_e5m2",
                                            "float8_e4m3fn"};
  return Type < std::size(Names) ? StringRef(Names[Type]) : StringRef();
}

uint32_t ProcessScopes::resultDtype(uint32_t Ring) {
  for (const RunningScope &O : reverse(ring(Ring).Opens)) {
    if (!O.IsOperator)
      continue;
    StringRef Name = dataTypeName(O.DataType);
    if (Name.empty())
      return 0;
    uint32_t &String = DataTypes[O.DataType];
    if (!String)
      String = R.Names.Names.string(Name);
    return String;
  }
  return 0;
}

/// `MatMul (float16)`; `MatMul`, if the type is float32, the usual one.
uint32_t ProcessScopes::operatorText(uint32_t Text, uint8_t DataType) {
  StringRef Type = dataTypeName(DataType);
  if (Type.empty() || DataType == Float32)
    return Text;
  uint64_t Key = uint64_t(DataType) << 32 | Text;
  if (auto It = TypedTexts.find(Key); It != TypedTexts.end())
    return It->second;
  uint32_t Own = ownText((Twine(name(Text).Text) + " (" + Type + ")").str());
  return TypedTexts[Key] = Own ? Own : Text;
}

const ProcessScopes::NodeParts &ProcessScopes::nodeParts(uint32_t Text) {
  if (auto It = Nodes.find(Text); It != Nodes.end())
    return It->second;
  GraphNode N = Graphs.parse(name(Text).Text);
  // name() bounds the number of texts, not the number of invalid ones.
  NodeParts &P = Nodes[Nodes.size() < MaxNames ? Text : 0];
  P = {};
  P.In = N.In;
  for (const std::string &Layer : N.Layers)
    if (uint32_t Own = ownText(Layer))
      P.Layers.push_back(Own);
  if (!N.Optimizer.empty())
    P.Optimizer = ownText(N.Optimizer);
  return P;
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

/// Enters what the node's name says, up to the operator.
uint32_t ProcessScopes::beginGraphNode(RingScopes &Of, RunningScope &O,
                                       uint32_t Text) {
  uint32_t In = Of.ScopePath;
  const NodeParts &P = nodeParts(Text);
  bool IsBackward = P.In == GraphNode::Direction::Backward;
  if (IsBackward)
    if (auto It = Functions.find(Of.Function); It != Functions.end())
      It->second.Trains = true;
  if (IsBackward && Of.In != TrainingPhase::Backward)
    In = enterPhase(Of, In, TrainingPhase::Backward);
  if (P.Optimizer) {
    if (Of.In == TrainingPhase::None)
      In = enterPhase(Of, In, TrainingPhase::Optimizer);
    return enter(In, ScopeKind::Range, P.Optimizer);
  }
  if (P.Layers.empty())
    return In;
  if (Of.In == TrainingPhase::None)
    In = enterPhase(Of, In, TrainingPhase::Forward);
  for (uint32_t Layer : P.Layers) {
    In = enterLayer(In, Layer);
    Of.Chain = chainOf(Of.Chain, Layer);
  }
  O.NodeChain = Of.Chain;
  O.Measured = IsBackward ? Measure::NodeBackward : Measure::Node;
  return In;
}

/// Enters the call of a function.
uint32_t ProcessScopes::beginFunction(RingScopes &Of, RunningScope &O,
                                      uint32_t Text) {
  const ScopeName &N = name(Text);
  O.EndsStep = N.EndsSteps && !isInStep(Of);
  O.Measured = Measure::Range;
  uint32_t In = enter(Of.ScopePath, ScopeKind::Range, Text);
  if (Functions.size() == MaxFunctions)
    return In;
  O.IsFunction = true;
  Of.Function = O.Number;
  // A program of XLA is one operator, without gradients that can be seen.
  bool Trains = StringRef(N.Text).contains("train_step");
  Functions[O.Number] = {In, Of.Chain, Text, Of.In, Trains};
  return In;
}

/// The thread works for a function from now on.
uint32_t ProcessScopes::beginLink(RingScopes &Of, uint64_t Number) {
  auto It = Functions.find(Number);
  if (It == Functions.end())
    return Of.ScopePath;
  const FunctionRun &F = It->second;
  Of.Function = Number;
  Of.Chain = F.Chain;
  Of.In = F.In;
  return F.ScopePath;
}

bool ProcessScopes::beginTensorFlow(const wire::ScopeBeginRecord &Rec,
                                    RecordOrigin From) {
  RingScopes &Of = ring(From.Ring);
  uint32_t Text = numberOf(Rec.Text), RangeText = Text;
  RunningScope O{Rec.Number, Of.ScopePath,       Of.Chain,
                 Of.In,      Measure::None,      false,
                 Of.Place,   /*IsUpdate=*/false, Of.Function};
  uint32_t In = Of.ScopePath;
  switch (Rec.Flags & wire::SF_KindMask) {
  case wire::SF_Layer:
    In = beginLayer(Of, O, Rec.Flags, Text);
    break;
  case wire::SF_Operator:
    if (uint32_t Node = numberOf(Rec.graphNode()))
      In = beginGraphNode(Of, O, Node);
    Text = operatorText(Text, Rec.dataType());
    In = enter(In, ScopeKind::Operator, Text);
    O.IsOperator = true;
    O.DataType = Rec.dataType();
    Operators.begin(From.Ring,
                    operatorName(Text, O.Measured == Measure::NodeBackward).Row,
                    R.Times.Clock.toNs(From.Tsc));
    break;
  case wire::SF_Range:
    if (Rec.Flags & wire::SF_Link)
      // A number of 64 bits could be a key that the map reserves.
      In = beginLink(Of, Rec.linkedRange() & wire::Record::MaxSize);
    else if (Rec.Flags & wire::SF_Outside)
      In = enter(0, ScopeKind::Range, Text);
    else if (Rec.Flags & wire::SF_Function)
      In = beginFunction(Of, O, Text);
    else
      In = beginOptimizer(Of, O, Text, Rec.optimizer());
    break;
  default:
    return false;
  }
  open(Of, O, In, RangeText, From);
  return true;
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

/// Whether the end of the call is the end of a step: the first function that
/// computes gradients makes the steps, unless the program says otherwise.
bool ProcessScopes::endFunction(uint64_t Number) {
  auto It = Functions.find(Number);
  if (It == Functions.end())
    return false;
  FunctionRun F = It->second;
  Functions.erase(It);
  if (!F.Trains || R.StepRange || HasOwnSteps)
    return false;
  StepRange = StepRange ? StepRange : F.Text;
  return StepRange == F.Text;
}

/// Adds an operator to the layers of its name. The calls of these layers are
/// the calls of the function, or the steps of the program.
void ProcessScopes::endNode(const LayerRange &S, const RunningScope &O,
                            uint64_t SelfNs) {
  bool IsBackward = O.Measured == Measure::NodeBackward;
  uint64_t Call = O.Function ? O.Function : ~Steps;
  for (uint32_t Link = O.NodeChain; Link != O.Chain && Link;
       Link = Chains[Link].Outer) {
    uint32_t Name = layerName(Chains[Link].Text);
    LayerStats &T =
        addLayer(S, Name, IsBackward, {Link == O.NodeChain ? SelfNs : 0});
    uint64_t &Last = LastFunctions[uint64_t(IsBackward) << 32 | Name];
    if (!T.Calls || Last != Call)
      T.Calls += 1;
    Last = Call;
  }
}
