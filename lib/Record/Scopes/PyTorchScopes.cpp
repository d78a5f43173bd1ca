// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers and operators of PyTorch.

#include "Scopes/PyTorchScopes.h"
#include "Output/Recording.h"

using namespace llvm;
using namespace memkit;
using wire::ScopeBeginRecord;

PyTorchScopes::PyTorchScopes(ScopeThreads &Threads, LayerScopes &Layers,
                             CompiledLayers &Compiled,
                             TrainingThreads &Training)
    : Threads(Threads), Layers(Layers), Compiled(Compiled), Training(Training),
      Operators(Threads), Lines(Threads.shared()),
      Parameters(Threads.recording().parameters(), Threads.process()) {}

static uint32_t textOf(const ScopeBeginRecord &Rec) {
  return ScopeNames::numberOf(Rec.Text);
}

bool PyTorchScopes::take(const ScopeBeginRecord &Rec, RecordOrigin From) {
  RunningScope O =
      ScopeThreads::newScope(Threads.ring(From.Ring), uint64_t(Rec.Number));
  EnteredScope In;
  switch (Rec.Flags & wire::SF_KindMask) {
  case wire::SF_Layer:
    In = beginLayer(Rec, From, O);
    break;
  case wire::SF_Operator:
    In = beginOperator(Rec, From, O);
    break;
  case wire::SF_Continued:
    In = beginContinued(Rec, From);
    break;
  case wire::SF_Range:
    In = beginRange(Rec, From, O);
    break;
  case wire::SF_Backward:
    In = beginNode(Rec, From, O);
    break;
  default:
    return false;
  }
  Layers.open(O, In.ScopePath, In.RangeText, From);
  return true;
}

PyTorchScopes::EnteredScope
PyTorchScopes::beginLayer(const ScopeBeginRecord &Rec, RecordOrigin From,
                          RunningScope &O) {
  RingScopes &Of = Threads.ring(From.Ring);
  Training.beginLayer(Of, From.Ring);
  uint32_t Text = textOf(Rec);
  if (Rec.Flags & wire::SF_Inner)
    Text = Compiled.innerLayer(Of.Now.Chain, Text);
  return {Layers.beginLayer(Of, O, Rec.Flags & wire::SF_Unnamed, Text), Text};
}

/// Counts a call of an operator or node.
void PyTorchScopes::countCall(uint32_t Row, RecordOrigin From,
                              RunningScope &O) {
  O.IsOperator = true;
  Threads.operators().table().begin(From.Ring, Row, Threads.timeNs(From));
}

PyTorchScopes::EnteredScope
PyTorchScopes::beginOperator(const ScopeBeginRecord &Rec, RecordOrigin From,
                             RunningScope &O) {
  RingScopes &Of = Threads.ring(From.Ring);
  uint32_t Text = textOf(Rec);
  TorchOperators::OperatorName Operator =
      Operators.name(Text, /*IsNode=*/false);
  uint32_t Row = Operator.Row;
  if (uint32_t Inputs = ScopeNames::numberOf(Rec.inputs()))
    Row = Threads.operators().rowOfShapes(Row, Text, Inputs);
  countCall(Row, From, O);
  uint32_t In = Of.Now.ScopePath;
  // The operator around a node of autograd adds nothing to the node's scope.
  if (Operator.IsEngine) {
    Training.beginEngine(Of, From.Ring);
    if (Of.Now.In != TrainingPhase::Backward)
      In = Layers.enterPhase(Of, In, TrainingPhase::Backward);
    return {In};
  }
  Training.beginOperator(Of, From.Ring, Operator.Outside);
  In = Threads.enter(In, ScopeKind::Operator, Text);
  Forwards.add({O.Number, Of.Now.Chain, ScopeNames::numberOf(Rec.pythonNode()),
                In, Layers.runOf(Of)});
  return {In};
}

PyTorchScopes::EnteredScope
PyTorchScopes::beginContinued(const ScopeBeginRecord &Rec, RecordOrigin From) {
  RingScopes &Of = Threads.ring(From.Ring);
  Training.beginOther(Of, From.Ring);
  if (const auto *F = Forwards.find(Rec.continued()))
    return {F->ScopePath};
  return {Threads.enter(Of.Now.ScopePath, ScopeKind::Operator, textOf(Rec))};
}

PyTorchScopes::EnteredScope
PyTorchScopes::beginRange(const ScopeBeginRecord &Rec, RecordOrigin From,
                          RunningScope &O) {
  RingScopes &Of = Threads.ring(From.Ring);
  uint32_t Text = textOf(Rec);
  if (LayerScopes::isOptimizer(Threads.name(Text).Text)) {
    Training.beginUpdate(Of, From.Ring);
    O.Owner = this;
  } else {
    Training.beginOther(Of, From.Ring);
  }
  return {Layers.beginOptimizer(Of, O, Text, Rec.optimizer()), Text};
}

bool PyTorchScopes::ended(const RunningScope &, uint32_t) {
  Training.endUpdate();
  return false;
}

/// Enters the layers and the line of the operator that made a node of autograd.
uint32_t
PyTorchScopes::enterForward(uint32_t Parent,
                            const ForwardOperators::ForwardOperator &F) {
  Parent = Layers.enterLayers(Parent, F.Chain);
  uint32_t Line = F.Node ? Lines.lineOf(F.Node) : 0;
  return Line ? Threads.enterAs(Parent, ScopeKind::Line, Line, Lines.text(Line))
              : Parent;
}

PyTorchScopes::EnteredScope
PyTorchScopes::beginNode(const ScopeBeginRecord &Rec, RecordOrigin From,
                         RunningScope &O) {
  RingScopes &Of = Threads.ring(From.Ring);
  uint32_t Text = textOf(Rec);
  countCall(Operators.name(Text, /*IsNode=*/true).Row, From, O);
  Training.beginNode(Of, From.Ring,
                     Threads.name(Text).Text ==
                         "torch::autograd::AccumulateGrad");
  EnteredScope To{Of.Now.ScopePath};
  if (Of.Now.In != TrainingPhase::Backward)
    To.ScopePath = Layers.enterPhase(Of, To.ScopePath, TrainingPhase::Backward);
  if (const auto *F = Forwards.find(Rec.forwardOperator())) {
    uint32_t Made = enterForward(To.ScopePath, *F);
    if (Made != To.ScopePath) {
      // The engine's work on the node's results belongs to the node's layer,
      // too.
      O.Outside.ScopePath = To.ScopePath = Made;
      Of.Now.Chain = O.Outside.Chain = F->Chain;
    }
    if (F->Chain) {
      Layers.measure(O, /*Backward=*/true,
                     Forwards.isFirstOfRun(*F, Text)
                         ? LayerScopes::LayerCall::Whole
                         : LayerScopes::LayerCall::Part);
      To.RangeText = Layers.chain(F->Chain).Text;
    }
  }
  To.ScopePath = Threads.enter(To.ScopePath, ScopeKind::Operator, Text);
  return To;
}

bool PyTorchScopes::take(const wire::LayerTensorRecord &Rec, RecordOrigin) {
  uint32_t Layer = ScopeNames::numberOf(Rec.Layer),
           Dtype = ScopeNames::numberOf(Rec.Dtype);
  if (!Layer)
    return false;
  if (!Dtype) {
    Parameters.begin(Threads.name(Layer).String);
    return true;
  }
  uint64_t Bytes = Rec.Kind & (wire::LayerTensorRecord::BufferBit - 1);
  Parameters.add(Rec.Address, Threads.name(Layer).String,
                 Threads.name(Dtype).String,
                 Rec.Kind & wire::LayerTensorRecord::BufferBit, Rec.Elements,
                 Rec.Elements * Bytes);
  return true;
}
