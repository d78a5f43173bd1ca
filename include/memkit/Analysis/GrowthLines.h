// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth by the lines of the user's own code.
//
// One cause often has many findings: a tensor, its blocks of malloc, the
// objects around it, at several lines of a model, in several workers. Each
// finding belongs to the innermost line of the user's code that does not also
// run without growth: a line whose memory grows only when certain callers call
// it is not the reason, and its caller is looked at. Findings of one line are
// one cause, over all processes of one program. Lines that the same line calls
// are one cause, too, if one of them has nearly all of the bytes, or if they
// are three or more and none has half. Arenas of Python that were mapped below
// a line belong to the line.

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
  std::vector<Place> Joined; ///< other lines whose growth belongs to Where
  /// The places of the growing blocks in tables, if Where only calls them: the
  /// most bytes first.
  std::vector<Place> Inner;
  std::vector<uint64_t> InnerRises;   ///< of each of Inner
  GrowthWord Word = GrowthWord::Leak; ///< the first word of the findings
  bool HasSteps = false;
  double Rate = 0;                ///< bytes per step, or per second
  uint64_t Rise = 0;              ///< bytes since the growth began
  uint64_t RiseBlocks = 0;        ///< their blocks
  double Variance = 0;            ///< of Rise, of sampled heaps
  uint64_t Bytes = 0, Blocks = 0; ///< at the end of the growth's span
  uint64_t SinceStep = 0, SinceNs = 0, LastStep = 0; ///< the earliest, the last
  /// As in Growth; the last of the findings.
  uint64_t UntilNs = 0, UntilStep = 0, FreedNs = 0, IdleSinceNs = 0;
  bool FreedAtExit = false;        ///< all of it
  uint64_t ArenaBytes = 0;         ///< part of Rise in arenas of Python
  uint32_t Process = 0;            ///< the first of Processes
  std::vector<uint32_t> Processes; ///< rising
  double PValue = 1;               ///< the lowest of the findings
  std::vector<uint32_t> Findings;  ///< indices in GrowthReport::Found

  bool isGrowing() const { return Word != GrowthWord::Grew; }
};

/// Leaks first, then what grows, then what grew. In each: growth per step
/// before growth per second, then the most bytes first.
std::vector<LineGrowth> growthLines(const SelectedStats &S, const Places &Of,
                                    const GrowthReport &R);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROWTHLINES_H
