// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The category of a tensor: its purpose in training.

#include "Scopes/TensorCategories.h"

using namespace memkit;

TensorCategories::Origin TensorCategories::origin(TrainingPlace Place,
                                                  MadeBy By) const {
  Origin B;
  B.Turn = Turns;
  B.Node = Nodes;
  B.Forward = Forwards;
  B.Run = Runs;
  B.Update = Updates;
  B.Place = Place;
  B.By = By;
  B.AfterForward = isForwardLast();
  return B;
}

/// Whether an operator made the tensor from others.
static bool wasComputed(TrainingPlace P) {
  return P == TrainingPlace::Computing || P == TrainingPlace::Moving;
}

/// The category of a tensor made outside of layers, backward and optimizers.
TensorCategory TensorCategories::ofOutside(const Origin &B, bool Freed) const {
  bool Used = anyTurnSince(B);
  bool Gone = Freed && !Used;
  switch (B.By) {
  case MadeBy::Initializer:
  case MadeBy::Loading:
    return Gone ? TensorCategory::Temporary : TensorCategory::Parameter;
  case MadeBy::Module:
    // Parameters are made from nothing or are copies; a tensor computed on the
    // way and freed again is a temporary.
    return Gone && wasComputed(B.Place) ? TensorCategory::Temporary
                                        : TensorCategory::Parameter;
  case MadeBy::Optimizer:
    return Gone ? TensorCategory::Temporary : TensorCategory::OptimizerState;
  case MadeBy::Buckets:
    return TensorCategory::Gradient;
  case MadeBy::BackwardCall:
    return TensorCategory::Temporary;
  case MadeBy::Held:
    return TensorCategory::Parameter;
  case MadeBy::HeldState:
    return TensorCategory::OptimizerState;
  case MadeBy::Unknown:
    break;
  }
  if (!Used)
    // Before the first pass the program may have done other work than training.
    return Freed && B.Turn ? TensorCategory::Temporary
                           : TensorCategory::Unknown;
  // Computed from results of the forward pass, like the loss, or for them.
  if (backwardCameFirst(B) && wasComputed(B.Place))
    return TensorCategory::Activation;
  // Without layers, a tensor that lives on may be a parameter as well.
  if (Forwards == B.Forward && Runs - B.Run > 1)
    return TensorCategory::Unknown;
  // An evaluation computes from the results of a pass, and may keep what it
  // has computed, like joined logits. An input is for the next pass only.
  if (B.Place == TrainingPlace::Computing && B.AfterForward &&
      Forwards - B.Forward > 1)
    return TensorCategory::Unknown;
  return TensorCategory::Input;
}

/// Whether the tensor was live at the last failure, and made by a pass that ran
/// then.
bool TensorCategories::isOfFailed(const Origin &B) const {
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

TensorCategory TensorCategories::ofFreed(const Origin &B,
                                         TrainingPlace At) const {
  bool InBackward =
      At == TrainingPlace::Backward || At == TrainingPlace::Accumulate;
  if (B.By >= MadeBy::Held)
    return ofOutside(B, true);
  if (isOfFailed(B))
    return ofLive(B, false);
  switch (B.Place) {
  case TrainingPlace::Forward:
    if (B.By == MadeBy::Module)
      return TensorCategory::Parameter;
    return At == TrainingPlace::Forward && Forwards == B.Forward
               ? TensorCategory::Temporary
               : TensorCategory::Activation;
  case TrainingPlace::Recompute:
    return At == TrainingPlace::Recompute ? TensorCategory::Temporary
                                          : TensorCategory::Activation;
  case TrainingPlace::Backward:
  case TrainingPlace::Accumulate:
    if (InRun && Runs == B.Run)
      return InBackward || At == TrainingPlace::Recompute
                 ? TensorCategory::Temporary
                 : TensorCategory::Gradient;
    // A later backward pass may use the graph of an earlier pass: the tensor
    // was saved for the later pass.
    return At == TrainingPlace::Backward ? TensorCategory::Activation
                                         : TensorCategory::Gradient;
  case TrainingPlace::Optimizer:
    return Updating && Updates == B.Update && At == TrainingPlace::Optimizer
               ? TensorCategory::Temporary
               : TensorCategory::OptimizerState;
  default:
    return ofOutside(B, true);
  }
}

TensorCategory TensorCategories::ofLive(const Origin &B, bool Worker) const {
  if (B.By >= MadeBy::Held)
    return ofOutside(B, false);
  switch (B.Place) {
  case TrainingPlace::Forward:
    return B.By == MadeBy::Module ? TensorCategory::Parameter
                                  : TensorCategory::Activation;
  case TrainingPlace::Recompute:
    return TensorCategory::Activation;
  case TrainingPlace::Backward:
    // Tensors passed from node to node are short-lived; tensors added to a
    // parameter's gradient stay.
    if (isOfFailed(B))
      return Failed.Node - B.Node < 2 ? TensorCategory::Temporary
                                      : TensorCategory::Gradient;
    return InRun && Runs == B.Run && Nodes - B.Node < 2
               ? TensorCategory::Temporary
               : TensorCategory::Gradient;
  case TrainingPlace::Accumulate:
    return TensorCategory::Gradient;
  case TrainingPlace::Optimizer:
    return TensorCategory::OptimizerState;
  default:
    break;
  }
  TensorCategory Category = ofOutside(B, false);
  return Worker && Category == TensorCategory::Unknown ? TensorCategory::Input
                                                       : Category;
}
