// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether blocks of a place are ever freed.
//
// A leak is no curve that rises, but survival: of what a place allocates, those
// bytes that outlive every lifetime that its freed bytes have shown, cohort
// after cohort, to the end. What is measured, in units of the run's clock
// (steps, or AgeUnitNs):
//
//  - the bytes that live, by the part of the run (bin) in which they were
//  allocated;
//  - the bytes that were freed in a later interval than that of their
//  allocation, by
//    age, in classes of powers of two;
//  - what lived at the end of each bin.
//
// For each age L = 1, 2, 4, ... the bytes that are older than L are asked:
// would so few of them have been freed if they lived a third of the run on
// average? Did they come in every part of the run, to its end? Did what lives
// rise by more than it wanders? docs/CommandGuide/memleak.md says it in words.
//
// The other kind of leak is a container: one block that is replaced by a larger
// one again and again.

#ifndef MEMKIT_ANALYSIS_SURVIVAL_H
#define MEMKIT_ANALYSIS_SURVIVAL_H

#include "memkit/Trace/Lifetimes.h"
#include <array>
#include <cstddef>
#include <vector>

namespace memkit {

/// The parts of a run that cohorts are sorted into.
struct SurvivalBins {
  std::vector<double> Units;     ///< how long each is; their sum is the run
  std::vector<double> Intervals; ///< how many intervals it has, at least 1
  double Resolution = 1;         ///< of ages: the longest interval, in units
  size_t size() const { return Units.size(); }
  double total() const;
};

/// A place: a stack of a heap in a process, or several together.
struct SurvivalData {
  explicit SurvivalData(size_t Bins = 0)
      : Bytes(Bins), Blocks(Bins), Level(Bins), LevelBlocks(Bins) {}

  std::vector<double> Bytes;  ///< that live, by bin of allocation
  std::vector<double> Blocks; ///< how many blocks these are
  std::vector<double> Level;  ///< what lived at the end of each bin
  double LevelBefore = 0;     ///< at the begin of the first
  /// Allocated before the first bin, and freed since.
  double OldFreed = 0;
  struct Aged {
    double Bytes = 0;
    double Intervals = 0; ///< in so many intervals, a stack at a time
  };
  /// By age: class k of 2^k to below 2^(k+1) units.
  std::array<Aged, NumAgeClasses> Freed;
  std::vector<double> LevelBlocks; ///< how many blocks lived then

  void add(const SurvivalData &Other);
};

/// What a place is taken for.
enum class Survival : uint8_t {
  None,    ///< nothing can be said against it
  Leak,    ///< what came stays, and it goes on
  Unsure,  ///< so far; a longer run would tell
  Slows,   ///< came, and comes less and less
  Stopped, ///< filled, and no more
};

struct SurvivalResult {
  Survival Verdict = Survival::None;
  bool IsContainer = false;
  double PValue =
      1; ///< of the chance that what is old is freed as if it were not
  double Alpha = 0; ///< what PValue, times the places, must not exceed
  bool Counts =
      false;        ///< it could have been found at Alpha: one of those places
  double Age = 0;   ///< units: of what is older nothing, or little, was freed
  size_t Since = 0; ///< the first bin of it
  double Rate = 0, Low = 0, High = 0; ///< bytes a unit; the interval: 95 %
  double Bytes = 0;                   ///< that live, allocated since
  /// As how many independent cohorts its survivors count: few say nothing by
  /// themselves.
  double Cohorts = 0;
};

/// SampleBytes: how many bytes a sampled block stands for at least, 0 for exact
/// heaps.
SurvivalResult judgeSurvival(const SurvivalBins &Bins, const SurvivalData &Data,
                             double SampleBytes = 0);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SURVIVAL_H
