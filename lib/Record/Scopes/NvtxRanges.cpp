// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of NVTX.

#include "Scopes/NvtxRanges.h"

using namespace memkit;

bool NvtxRanges::take(const wire::ScopeBeginRecord &Rec, RecordOrigin From) {
  ScopeThreads::RingScopes &Of = Threads.ring(From.Ring);
  uint32_t Text = ScopeNames::numberOf(Rec.Text);
  RunningScope O = ScopeThreads::newScope(Of, Rec.Number);
  Training.beginOther(Of, From.Ring);
  O.EndsStep = Threads.name(Text).EndsSteps && !Of.isInStep();
  O.Measured = ScopeMeasure::Range;
  Layers.open(
      O, Threads.enter(Of.Now.ScopePath, ScopeKind::Range, Text, Rec.color()),
      Text, From);
  return true;
}
