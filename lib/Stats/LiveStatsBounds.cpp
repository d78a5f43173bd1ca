// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of live bytes.

#include "memkit/Stats/LiveStats.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

void LiveStats::setBounds(bool IsSpace, uint32_t Id, ArrayRef<uint64_t> Of) {
  Curve &C = IsSpace ? *Spaces[Id] : Heaps[Id]->C;
  assert(is_sorted(Of) && "bounds rise");
  C.Bounds.assign(Of.begin(), Of.end());
  C.Bounds.push_back(NoBound);
  C.NextBound = 0;
  C.Watched = C.Bounds.front();
  C.setTrigger();
}

uint64_t LiveStats::liveBytes(bool IsSpace, uint32_t Id) const {
  return IsSpace ? Spaces[Id]->LiveBytes : Heaps[Id]->C.LiveBytes;
}

/// An event of By has raised Of to Live bytes, above its next bound.
void LiveStats::noteCrossings(Curve &Of, const Cell &By, uint64_t Live,
                              uint64_t TimeNs) {
  bool IsSpace = &Of != &By.H->C;
  // Heaps outside the totals share a curve that is no memory space.
  bool IsShown = &Of != &Outside;
  while (Live > Of.Watched) {
    Crossing C;
    C.IsSpace = IsSpace;
    C.Id = Of.Id;
    C.Bound = Of.takeBound();
    C.LiveBytes = Live;
    C.TimeNs = TimeNs;
    C.Process = By.Process;
    C.Heap = By.Heap;
    if (IsShown)
      Crossings.push_back(C);
  }
  Of.setTrigger();
}
