// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place in the training of each thread, for the categories of tensors.

#include "Scopes/TrainingThreads.h"

using namespace memkit;

void TrainingThreads::setTrains(uint32_t Ring) {
  if (Ring >= Trains.size())
    Trains.resize(Ring + size_t(1));
  Trains[Ring] = true;
}

void TrainingThreads::beginOther(const RingScopes &Of, uint32_t Ring) {
  if (isOutside(Of) && Ring < Trains.size() && Trains[Ring])
    Categories.otherWork();
}

void TrainingThreads::beginLayer(RingScopes &Of, uint32_t Ring) {
  beginOther(Of, Ring);
  setTrains(Ring);
  TrainingPlace &Place = Of.Now.Place;
  if (isOutside(Of) || Place == TrainingPlace::Optimizer) {
    Categories.beginForward();
    Place = TrainingPlace::Forward;
  } else if (Place != TrainingPlace::Forward) {
    Place = TrainingPlace::Recompute;
  }
}

void TrainingThreads::beginOperator(RingScopes &Of, uint32_t Ring,
                                    TrainingPlace Outside) {
  beginOther(Of, Ring);
  if (Of.Now.Place == TrainingPlace::Outside)
    Of.Now.Place = Outside;
}

void TrainingThreads::beginEngine(RingScopes &Of, uint32_t Ring) {
  setTrains(Ring);
  Categories.beginBackward();
  Of.Now.Place = TrainingPlace::Backward;
}

void TrainingThreads::beginNode(RingScopes &Of, uint32_t Ring,
                                bool Accumulates) {
  beginEngine(Of, Ring);
  if (Accumulates)
    Of.Now.Place = TrainingPlace::Accumulate;
  else
    Categories.beginNode();
}

void TrainingThreads::beginUpdate(RingScopes &Of, uint32_t Ring) {
  beginOther(Of, Ring);
  setTrains(Ring);
  Categories.beginUpdate();
  Of.Now.Place = TrainingPlace::Optimizer;
}
