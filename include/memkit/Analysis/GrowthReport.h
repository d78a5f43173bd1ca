// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of a search for growth.

#ifndef MEMKIT_ANALYSIS_GROWTHREPORT_H
#define MEMKIT_ANALYSIS_GROWTHREPORT_H

#include "memkit/Analysis/Survival.h"
#include "memkit/Model/Intervals.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace memkit {

struct GrowthOptions {
  /// Allocations in this first part of a run's steps (without steps: of the
  /// run's time) are skipped, as are all allocations before the first step.
  double WarmUp = 0;
  uint64_t WarmUpSteps = 0; ///< the minimum of skipped steps
  /// Only this last part of a run's steps (without steps: of its time), these
  /// last steps, this last time are looked at; 0: all.
  double Window = 1;
  uint64_t WindowSteps = 0, WindowNs = 0;
  /// The largest p-value of a leak, where it is less than the usual one.
  double MaxPValue = 1;
  /// A node that gained fewer bytes is skipped.
  uint64_t MinBytes = 1024;
  /// Maximum of analysed nodes; those that gained most bytes are chosen.
  size_t MaxSeries = 8192;
  /// Maximum of changes in intervals to keep in memory. With more, the
  /// intervals are read twice.
  size_t MaxChanges = size_t(4) << 20;
};

/// The word for a growth. docs/CommandGuide/memleak.md has the rules.
enum class GrowthWord : uint8_t {
  Leak,  ///< kept again and again while the program repeats itself
  Grows, ///< rises to the end; nothing shows that the program repeats
  Grew,  ///< rose, then stayed level, or was freed
};

/// `leak`, `grows`, `grew`.
llvm::StringRef growthWordName(GrowthWord Word);

/// What shows that the program repeats itself.
enum class GrowthEvidence : uint8_t {
  None,
  Steps,  ///< the program has steps
  Rounds, ///< other live bytes come back to their level
  Bursts, ///< memory is kept in bursts, with quiet between
};

/// `steps`, `rounds`, `bursts`; empty for None.
llvm::StringRef evidenceName(GrowthEvidence Evidence);

/// The part of a process's run that was analysed for one memory space.
struct GrowthRange {
  uint32_t Process = 0;
  uint32_t Space = 1; ///< a memory space + 1; 0: heaps outside the totals
  bool HasSteps = false;
  /// The number of steps, if the process has fewer than MinGrowthSteps.
  uint64_t TooFewSteps = 0;
  size_t Intervals = 0;                 ///< steps, or equal times
  uint64_t FirstStep = 0, LastStep = 0; ///< if HasSteps
  uint64_t BeginNs = 0, EndNs = 0;
  /// The end of the observed life: the begin of a shutdown, the exit, or the
  /// last look at the process.
  uint64_t LifeEndNs = 0;
  /// The process's end, which frees its memory, is a large part of the run and
  /// not in the span.
  bool EndsEarly = false;
  /// Steps, or seconds, in one unit of the clock.
  double PerUnit = 1;
};

/// The surviving bytes of one stack.
struct GrowthPart {
  uint32_t Stack = 0;
  uint64_t Bytes = 0;
};

/// A node of the shown tree below which blocks of a heap survive. Plain data.
struct Growth {
  uint32_t Span = 0; ///< in GrowthReport::Spans
  uint32_t Heap = 0;
  uint32_t Node = 0;   ///< of Trace::view(), above all these stacks
  uint32_t Stack = 0;  ///< the stack with most surviving bytes
  uint64_t Stacks = 0; ///< stacks with surviving blocks at or below Node
  /// Live at the end of the span, allocated by these stacks; without the memory
  /// of other findings.
  uint64_t Bytes = 0, Blocks = 0;
  /// The part of Bytes and Blocks allocated since the growth started.
  uint64_t Rise = 0, RiseBlocks = 0;
  /// Live bytes of the whole heap in the process at the span's start and end.
  uint64_t HeapBegin = 0, HeapEnd = 0;
  /// Bytes per step, or per second, with the 95 % confidence interval.
  double Rate = 0, Low = 0, High = 0;
  /// The chance that any analysed place looks like this finding although its
  /// blocks are freed later.
  double PValue = 1;
  /// Few or no blocks older than this many steps, or seconds, were freed.
  double Age = 0;
  /// The first step, or time, of the growth; 0: the start of the span.
  uint64_t SinceStep = 0, SinceNs = 0;
  GrowthWord Word = GrowthWord::Leak;
  GrowthEvidence Evidence = GrowthEvidence::None;
  uint64_t Rounds = 0; ///< number of rounds or bursts, if Evidence
  /// The last rise, and its step if the span has steps.
  uint64_t UntilNs = 0, UntilStep = 0;
  /// Of Grew: when the memory was freed; 0: it stayed.
  uint64_t FreedNs = 0;
  /// Of Leak: from when on the process did nothing to its end; 0: it went on.
  uint64_t IdleSinceNs = 0;
  bool IsContainer = false; ///< blocks are replaced by larger ones
  /// A known cache with a bound that the blocks may fill; empty: none. Such
  /// growth is no leak.
  llvm::StringRef Bounded;
  /// The finding stands for arenas of CPython's objects: the owners of the
  /// objects are unknown, and Node is 0.
  bool IsArenas = false;
  uint32_t ArenaGroup = 0;  ///< if IsArenas: ArenaRise::Group
  bool FreedAtExit = false; ///< nearly all was freed after the span
  /// With several stacks: what each of them has, the largest first.
  std::vector<GrowthPart> Parts;

  /// Calls Do with each stack and its part of Rise, the largest first. Of
  /// several stacks Rise is parted as the surviving bytes are.
  void forEachPart(
      llvm::function_ref<void(uint32_t Stack, uint64_t Bytes)> Do) const;
};

/// Growing arenas of one stack.
struct ArenaRise {
  uint32_t Group = 0; ///< equal for arenas of one finding
  uint32_t Stack = 0;
  uint64_t Bytes = 0; ///< surviving bytes
};

struct GrowthReport {
  /// Leaks first, then what grows, then what grew; in each most bytes first.
  std::vector<Growth> Found;
  std::vector<GrowthRange> Spans; ///< the analysed spans
  std::vector<ArenaRise> Arenas;  ///< below the findings with IsArenas
  /// Number of processes with too few intervals to analyse, and the highest
  /// number of intervals in any of these processes.
  size_t TooShort = 0;
  size_t MaxIntervals = 0;
  size_t Series = 0;         ///< number of analysed nodes
  size_t LeftOut = 0;        ///< number of nodes beyond MaxSeries
  uint64_t LeftOutBytes = 0; ///< that each of them gained at most
  /// Arenas of CPython's objects that came in the last half of the measured
  /// time and live on, too few for a finding.
  uint64_t FewArenaBytes = 0;

  bool has(GrowthWord Word) const;
};

/// Minimum of steps or intervals for an analysis of growth.
inline constexpr size_t MinGrowthIntervals = 6;
/// With fewer steps, time is the clock.
inline constexpr uint64_t MinGrowthSteps = 7;

} // namespace memkit

#endif // MEMKIT_ANALYSIS_GROWTHREPORT_H
