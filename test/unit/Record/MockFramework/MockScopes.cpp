// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of an invented framework.

#include "MockScopes.h"

using namespace memkit;

bool MockScopes::take(const MockBeginRecord &Rec, RecordOrigin From) {
  ScopeThreads::RingScopes &Of = Threads.ring(From.Ring);
  RunningScope O = ScopeThreads::newScope(Of, Rec.Number);
  uint32_t In = Of.Now.ScopePath;
  switch (Rec.Is) {
  case MockBeginRecord::Kind::Episode:
    O.Measured = ScopeMeasure::Range;
    O.Owner = this;
    In = Threads.enter(In, ScopeKind::Range, Rec.Text);
    break;
  case MockBeginRecord::Kind::Layer:
    In = Layers.beginLayer(Of, O, /*IsUnnamed=*/false, Rec.Text);
    break;
  case MockBeginRecord::Kind::Operator:
    In = Threads.enter(In, ScopeKind::Operator, Rec.Text);
    O.IsOperator = true;
    Threads.operators().table().begin(
        From.Ring, Threads.operators().rowOf(Rec.Text, /*IsNode=*/false),
        Threads.timeNs(From));
    break;
  }
  Layers.open(O, In, Rec.Text, From);
  return true;
}

bool MockScopes::ended(const RunningScope &O, uint32_t) {
  return Threads.steps().isMadeBy(1);
}
