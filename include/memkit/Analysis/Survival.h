// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether blocks of a place are ever freed.
//
// A leak is not a rising curve but survival: bytes of a place that outlive
// every lifetime shown by the place's freed bytes, cohort after cohort, to the
// end of the run. The data, in units of the run's clock (steps, or AgeUnitNs):
//
//  - live bytes, by the part of the run (bin) of their allocation;
//  - bytes freed in a later interval than their allocation, by age, in classes
//    of powers of two;
//  - live bytes at the end of each bin.
//
// judgeSurvival() tests the bytes older than an age L for each L = 1, 2, 4,
// ...: Would so few of these bytes have been freed if they lived a third of the
// run on average? Did such bytes arrive in every part of the run, to its end?
// Did the live bytes rise by more than they fluctuate?
// docs/CommandGuide/memleak.md explains the test in words.
//
// Another kind of leak is a container: one block that is replaced by a larger
// block again and again.

#ifndef MEMKIT_ANALYSIS_SURVIVAL_H
#define MEMKIT_ANALYSIS_SURVIVAL_H

#include "memkit/Trace/Lifetimes.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstddef>
#include <vector>

namespace memkit {

/// The parts of a run by which cohorts are grouped.
struct SurvivalBins {
  std::vector<double> Units;     ///< length of each bin; their sum is the run
  std::vector<double> Intervals; ///< intervals in each bin, at least 1
  double Resolution = 1;         ///< of ages: the longest interval, in units
  /// The first bin that has the rows with a single cohort, too.
  size_t WholeFrom = 0;
  size_t size() const { return Units.size(); }
  double total() const;
};

/// A place: a stack of a heap in a process, or several together.
struct SurvivalData {
  explicit SurvivalData(size_t Bins = 0)
      : Bytes(Bins), Blocks(Bins), Level(Bins), LevelBlocks(Bins) {}

  std::vector<double> Bytes;  ///< live bytes, by bin of allocation
  std::vector<double> Blocks; ///< live blocks, by bin of allocation
  std::vector<double> Level;  ///< live bytes at the end of each bin
  double LevelBefore = 0;     ///< live bytes at the start of the first bin
  /// Bytes allocated before the first bin and freed since.
  double OldFreed = 0;
  struct AgedBytes {
    double Bytes = 0;
    double Intervals = 0; ///< intervals with such frees, summed over stacks
  };
  /// By age: class k of 2^k to below 2^(k+1) units.
  std::array<AgedBytes, NumAgeClasses> Freed;
  std::vector<double> LevelBlocks; ///< live blocks at the end of each bin
  bool OfSeveral = false;          ///< the sum of several stacks: see WholeFrom

  void add(const SurvivalData &Other);
  /// Sets all values to 0, and the number of bins.
  void clear(size_t Bins);
};

/// The verdict on a place.
enum class Survival : uint8_t {
  None,    ///< no sign of a leak
  Leak,    ///< survivors stay, and more keep arriving
  Unsure,  ///< may be a leak; needs a longer run
  Slows,   ///< survivors arrive less and less
  Stopped, ///< survivors stopped arriving
};

struct SurvivalResult {
  Survival Verdict = Survival::None;
  bool IsContainer = false;
  /// Of the hypothesis that old bytes are freed as others are.
  double PValue = 1;
  double Alpha = 0; ///< maximum of PValue times the number of places
  /// The place could reach Alpha, and counts in the number of places.
  bool Counts = false;
  double Age = 0;   ///< units: few or no bytes older than Age were freed
  size_t Since = 0; ///< the first bin of the leak
  double Rate = 0, Low = 0, High = 0; ///< bytes a unit; 95 % interval
  double Bytes = 0;                   ///< live bytes allocated since
  /// The number of independent cohorts that the survivors count as. A few
  /// cohorts alone prove nothing.
  double Cohorts = 0;
};

/// SampleBytes: the minimum of bytes that a sampled block stands for; 0 for
/// exact heaps.
SurvivalResult judgeSurvival(const SurvivalBins &Bins, const SurvivalData &Data,
                             double SampleBytes = 0);

/// A rate with its 95 % interval, from the means of 4 to 12 parts of a series
/// of bytes, in bytes per unit. Units: of each element of Bytes.
struct RateEstimate {
  double Rate = 0, Low = 0, High = 0;
};
RateEstimate estimateRate(llvm::ArrayRef<double> Bytes,
                          llvm::ArrayRef<double> Units);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SURVIVAL_H
