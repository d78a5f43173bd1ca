// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of runs by heap and place.
//
// A node can be part of a difference only if some run has at least the noise
// there. Such nodes are few, and the parent of such a node is one too. These
// nodes are the places. A stack counts at the last place on its path from the
// root. Arenas of CPython's objects have a place of their own.

#ifndef MEMKIT_LIB_ANALYSIS_DIFFCELLS_H
#define MEMKIT_LIB_ANALYSIS_DIFFCELLS_H

#include "memkit/Analysis/FindingReport.h"

namespace memkit {

/// The stats of a run for a heap and a place.
struct DiffCell {
  uint32_t Heap;
  uint32_t Place;
  uint32_t Run;
  bool IsInner; ///< part of the memory is at stacks further in
  StackMetrics Sum;
};

struct DiffCells {
  struct Spot {
    uint32_t Parent; ///< a place with a lower number; 0 for the root
    DiffPlace Shown;
  };
  std::vector<Spot> Places;    ///< the first is the root
  std::vector<DiffCell> Cells; ///< by heap, then the highest place first
};

DiffCells makeDiffCells(const DiffRuns &Runs, const FindingOptions &Options);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_DIFFCELLS_H
