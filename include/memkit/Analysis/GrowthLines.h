// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth by the lines of the user's own code.
//
// One leak often has many findings: a tensor, its blocks of malloc, the objects
// around it, at several lines of a model. Each finding belongs to the innermost
// line of the user's code that does not also run without growth: a line whose
// memory grows only when certain callers call it is not the reason, and its
// caller is looked at. Findings of one line are one leak.

#ifndef MEMKIT_ANALYSIS_GROWTHLINES_H
#define MEMKIT_ANALYSIS_GROWTHLINES_H

#include "memkit/Analysis/Growth.h"
#include "memkit/Model/Places.h"

namespace memkit {

/// The growth of one line, or of one other place.
struct LineGrowth {
  Place Where;
  /// The line of the user's code that calls Where; none: Where is outermost.
  std::optional<Place> Caller;
  bool HasSteps = false;
  double Rate = 0;                ///< bytes per step, or per second
  uint64_t Rise = 0;              ///< bytes since the growth began
  uint64_t Bytes = 0, Blocks = 0; ///< at the end of the growth's span
  uint64_t SinceStep = 0, SinceNs = 0, LastStep = 0; ///< the earliest, the last
  uint32_t Process = 0;
  double PValue = 1;              ///< the lowest of the findings
  std::vector<uint32_t> Findings; ///< indices in GrowthReport::Found
};

/// The most bytes per unit first; growth per step before growth per second, and
/// lines before arenas of Python.
std::vector<LineGrowth> growthLines(const SelectedStats &S, const Places &Of,
                                    const GrowthReport &R);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROWTHLINES_H
