// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What grows to the end of the run.
//
// Looks through the lifetimes and intervals of a trace for stacks, and nodes of
// the tree of stacks, whose blocks survive (Survival.h). Reads the intervals
// twice and replays no event. Memory, beside that of IntervalSeries: 40 bytes
// for each (process, heap, stack), 4 a node, and some 4 KiB for each of at most
// MaxSeries nodes.

#ifndef MEMKIT_ANALYSIS_GROWTH_H
#define MEMKIT_ANALYSIS_GROWTH_H

#include "memkit/Analysis/Survival.h"
#include "memkit/Model/Intervals.h"
#include <string>
#include <vector>

namespace memkit {

struct GrowthOptions {
  /// What is allocated in this part of a run's steps (without steps: of its
  /// time) is not looked at, nor what is allocated before the first step.
  double WarmUp = 0;
  uint64_t WarmUpSteps = 0; ///< at least so many, where there are steps
  /// Fewer bytes that survive are not looked at.
  uint64_t MinBytes = 1024;
  /// How many nodes are looked at; of more, those of which most survives.
  size_t MaxSeries = 8192;
};

/// What was measured of a memory space of a process.
struct GrowthSpan {
  uint32_t Process = 0;
  uint32_t Space = 1; ///< a memory space + 1; 0: heaps outside the totals
  bool HasSteps = false;
  size_t Intervals = 0;                 ///< steps, or equal times
  uint64_t FirstStep = 0, LastStep = 0; ///< of those with HasSteps
  uint64_t BeginNs = 0, EndNs = 0;
  /// What came after, a good part of the run, is the end of the process, which
  /// frees.
  bool EndsEarly = false;
  /// How much a unit of the clock is: one step, or so many seconds.
  double PerUnit = 1;
};

/// A node of the shown tree below which blocks of a heap survive.
struct Growth {
  uint32_t Span = 0; ///< in GrowthReport::Spans
  uint32_t Heap = 0;
  uint32_t Node = 0;   ///< of Trace::view(), where all of it hangs
  uint32_t Stack = 0;  ///< the one of them of which most survives
  uint64_t Stacks = 0; ///< of which blocks survive, at or below the node
  /// Live at the end of the span, of those stacks alone; what other findings
  /// have is not in it.
  uint64_t Bytes = 0, Blocks = 0;
  uint64_t Rise =
      0; ///< bytes of Bytes that were allocated since the growth began
  /// What the heap as a whole has in the process at the span's begin and end.
  uint64_t HeapBegin = 0, HeapEnd = 0;
  /// Bytes for each step, or second, and the interval that has it with 95 %.
  double Rate = 0, Low = 0, High = 0;
  /// The chance that any of the places that were looked at looks so and is
  /// freed later all the same.
  double PValue = 1;
  /// Of what is older than so many steps, or seconds, little or nothing was
  /// freed.
  double Age = 0;
  /// The first step, or time, of it; 0: from the begin on.
  uint64_t SinceStep = 0, SinceNs = 0;
  Survival Verdict = Survival::Leak;
  bool IsContainer = false; ///< blocks are replaced by larger ones
  /// Arenas of CPython's objects: whose objects these are is not known, and
  /// Node is 0.
  bool IsArenas = false;
  bool FreedAtExit = false; ///< nearly all of it, after the span
};

struct GrowthReport {
  std::vector<Growth> Found;     ///< what grows, highest rate first
  std::vector<Growth> Unsure;    ///< what may, and cannot be told yet
  std::vector<GrowthSpan> Spans; ///< of what was looked at
  /// Processes with too few intervals to say anything, and the most that one of
  /// them has.
  size_t TooShort = 0;
  size_t MaxIntervals = 0;
  size_t Series = 0;  ///< how many nodes were looked at
  size_t LeftOut = 0; ///< how many more there were
};

/// So many steps or intervals are needed to say anything.
inline constexpr size_t MinGrowthIntervals = 6;

/// Looks through what S selects, in processes that no exec replaced. Without
/// chosen heaps, a stack most of whose bytes lie in blocks of inner heaps is
/// theirs. Errors: those of reading.
llvm::Expected<GrowthReport> findGrowth(IntervalSeries &Intervals,
                                        const SelectedStats &S,
                                        const GrowthOptions &Options);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROWTH_H
