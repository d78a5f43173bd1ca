// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tensor is for.

#include "Scopes/TensorKinds.h"

using namespace memkit;

TensorKinds::Origin TensorKinds::origin(TrainingPlace Place, MadeBy By) const {
  Origin B;
  B.Turn = Turns;
  B.Node = Nodes;
  B.Forward = Forwards;
  B.Run = Runs;
  B.Update = Updates;
  B.Place = Place;
  B.By = By;
  return B;
}

/// Of one made outside of layers, backward and optimizers.
TensorKind TensorKinds::ofOutside(const Origin &B, bool Freed) const {
  bool Used = anyTurnSince(B);
  bool Gone = Freed && !Used;
  switch (B.By) {
  case MadeBy::Initializer:
  case MadeBy::Loading:
    return Gone ? TensorKind::Temporary : TensorKind::Parameter;
  case MadeBy::Module:
    // Parameters are made of nothing or are copies; what was computed for them
    // and is gone was no more than that.
    return Gone && B.Place == TrainingPlace::Computing ? TensorKind::Temporary
                                                       : TensorKind::Parameter;
  case MadeBy::Optimizer:
    return Gone ? TensorKind::Temporary : TensorKind::OptimizerState;
  case MadeBy::Buckets:
    return TensorKind::Gradient;
  case MadeBy::BackwardCall:
    return TensorKind::Temporary;
  case MadeBy::Held:
    return TensorKind::Parameter;
  case MadeBy::HeldState:
    return TensorKind::OptimizerState;
  case MadeBy::Unknown:
    break;
  }
  if (!Used)
    // Before the first pass there may have been other things than training.
    return Freed && B.Turn ? TensorKind::Temporary : TensorKind::Unknown;
  // Computed from what forward gave, as the loss is, or for it.
  if (backwardCameFirst(B) && B.Place == TrainingPlace::Computing)
    return TensorKind::Activation;
  // Without layers, what lives on may be a parameter as well.
  if (Forwards == B.Forward && Runs - B.Run > 1)
    return TensorKind::Unknown;
  return TensorKind::Input;
}

/// Did it live at the last failure, in the pass that made it?
bool TensorKinds::isOfFailed(const Origin &B) const {
  if (B.Event > Failed.Event)
    return false;
  switch (B.Place) {
  case TrainingPlace::Forward:
    return B.Forward == Failed.Forward;
  case TrainingPlace::Recompute:
  case TrainingPlace::Backward:
  case TrainingPlace::Accumulate:
    return B.Run == Failed.Run;
  case TrainingPlace::Optimizer:
    return B.Update == Failed.Update;
  default:
    return false;
  }
}

TensorKind TensorKinds::ofFreed(const Origin &B, TrainingPlace At) const {
  bool InBackward =
      At == TrainingPlace::Backward || At == TrainingPlace::Accumulate;
  if (B.By >= MadeBy::Held)
    return ofOutside(B, true);
  if (isOfFailed(B))
    return ofLive(B, false);
  switch (B.Place) {
  case TrainingPlace::Forward:
    if (B.By == MadeBy::Module)
      return TensorKind::Parameter;
    return At == TrainingPlace::Forward && Forwards == B.Forward
               ? TensorKind::Temporary
               : TensorKind::Activation;
  case TrainingPlace::Recompute:
    return At == TrainingPlace::Recompute ? TensorKind::Temporary
                                          : TensorKind::Activation;
  case TrainingPlace::Backward:
  case TrainingPlace::Accumulate:
    if (InRun && Runs == B.Run)
      return InBackward || At == TrainingPlace::Recompute
                 ? TensorKind::Temporary
                 : TensorKind::Gradient;
    // A pass through the graph of another: it was saved for this.
    return At == TrainingPlace::Backward ? TensorKind::Activation
                                         : TensorKind::Gradient;
  case TrainingPlace::Optimizer:
    return Updating && Updates == B.Update && At == TrainingPlace::Optimizer
               ? TensorKind::Temporary
               : TensorKind::OptimizerState;
  default:
    return ofOutside(B, true);
  }
}

TensorKind TensorKinds::ofLive(const Origin &B, bool Worker) const {
  if (B.By >= MadeBy::Held)
    return ofOutside(B, false);
  switch (B.Place) {
  case TrainingPlace::Forward:
    return B.By == MadeBy::Module ? TensorKind::Parameter
                                  : TensorKind::Activation;
  case TrainingPlace::Recompute:
    return TensorKind::Activation;
  case TrainingPlace::Backward:
    // What goes from node to node does not live long; what is put into a
    // parameter's gradient stays.
    if (isOfFailed(B))
      return Failed.Node - B.Node < 2 ? TensorKind::Temporary
                                      : TensorKind::Gradient;
    return InRun && Runs == B.Run && Nodes - B.Node < 2 ? TensorKind::Temporary
                                                        : TensorKind::Gradient;
  case TrainingPlace::Accumulate:
    return TensorKind::Gradient;
  case TrainingPlace::Optimizer:
    return TensorKind::OptimizerState;
  default:
    break;
  }
  TensorKind Kind = ofOutside(B, false);
  return Worker && Kind == TensorKind::Unknown ? TensorKind::Input : Kind;
}
