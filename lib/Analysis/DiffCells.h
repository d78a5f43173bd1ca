// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of runs by heap and place.
//
// A node can be part of a difference only when some run has the noise there.
// Those are few, and with a node the one above it is such a node. They are the
// places; a stack counts at the last place on its way.
// Arenas of CPython's objects have a place of their own.

#ifndef MEMKIT_LIB_ANALYSIS_DIFFCELLS_H
#define MEMKIT_LIB_ANALYSIS_DIFFCELLS_H

#include "memkit/Analysis/Findings.h"

namespace memkit {

/// What a run has of a heap at a place.
struct DiffCell {
  uint32_t Heap;
  uint32_t Place;
  uint32_t Run;
  bool IsInner; ///< some of it lies further in
  StackMetrics Sum;
};

struct DiffCells {
  struct Spot {
    uint32_t Parent; ///< a place with a lower number; of the root 0
    DiffPlace Shown;
  };
  std::vector<Spot> Places;    ///< the first is the root
  std::vector<DiffCell> Cells; ///< by heap, then the highest place first
};

DiffCells makeDiffCells(const DiffRuns &Runs, const FindingOptions &Options);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_DIFFCELLS_H
