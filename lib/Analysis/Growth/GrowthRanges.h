// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intervals of a memory space, as bins.

#ifndef MEMKIT_LIB_ANALYSIS_GROWTHRANGES_H
#define MEMKIT_LIB_ANALYSIS_GROWTHRANGES_H

#include "memkit/Analysis/GrowthReport.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// What one row adds to a place: values in a few of many bins. One object takes
/// all rows in turn, so a row takes time for its own bins alone.
struct RowSurvival {
  std::vector<double> Bytes, Blocks;   ///< by bin; 0 but in Bins
  llvm::SmallVector<uint32_t, 8> Bins; ///< rising
  double OldFreed = 0;
  struct RowFrees {
    uint32_t Class = 0;
    SurvivalData::AgedBytes Freed;
  };
  llvm::SmallVector<RowFrees, 8> Frees;

  void clear();
  /// As SurvivalData::add() with values of 0 in all other bins.
  void addTo(SurvivalData &To) const;
};

/// When a program recorded: nothing changes while it has switched the recording
/// off, so what lies outside is no part of its life.
struct RecordedTime {
  uint64_t FromNs = 0, UntilNs = UINT64_MAX;
  /// The begin of the program's own steps, where those before were a
  /// framework's; 0: all are of one kind.
  uint64_t OwnStepsNs = 0;
};

/// The measured part of a memory space of a process: the intervals from the end
/// of the warm-up to the cut, in some MaxBins bins of about equal length: a bin
/// begins after long quiet, too.
/// The clock is steps with 7 steps or more, else time.
class RangeBins {
public:
  static constexpr size_t MaxBins = 64;
  /// Cut: the number of heads before the end of the process. Nothing if there
  /// are too few; HasIntervals is then their number.
  static std::optional<RangeBins> create(const ProcessIntervals &I,
                                         uint32_t Space, size_t Cut,
                                         const GrowthOptions &Options,
                                         RecordedTime Recorded,
                                         size_t &HasIntervals);

  const GrowthRange &span() const { return Span; }
  const SurvivalBins &bins() const { return Bins; }
  /// The first interval of the span, and the first after it.
  size_t begin() const { return Begin; }
  size_t end() const { return End; }
  /// The bin of an interval from begin() to before end().
  size_t binOf(size_t Interval) const { return BinOf[Interval - Begin]; }
  /// The first interval of a bin, and the first after the bin.
  size_t intervalOf(size_t Bin) const { return BinBegin[Bin]; }
  size_t afterBin(size_t Bin) const { return BinBegin[Bin + 1]; }

  /// Sets Out to the cohorts and frees of a row. I: of the space. AtBegin: the
  /// row's live bytes where the span begins.
  void read(const ProcessIntervals &I, const RowLifetimes &Row,
            uint64_t AtBegin, RowSurvival &Out) const;

private:
  static size_t ownSteps(llvm::ArrayRef<IntervalHead> Heads, size_t First,
                         uint64_t OwnStepsNs);
  bool choose(const ProcessIntervals &I, size_t Cut,
              const GrowthOptions &Options, RecordedTime Recorded);
  size_t findWhole(const ProcessIntervals &I) const;
  void sortIntoBins(const ProcessIntervals &I);

  GrowthRange Span;
  SurvivalBins Bins;
  size_t Begin = 0, End = 0;
  std::vector<double> UnitsOf; ///< of the intervals from Begin on
  double Skipped = 0, All = 0; ///< units before Begin, and of the whole life
  std::vector<double> Before;  ///< of the intervals before, and of all
  std::vector<size_t> BinOf;
  std::vector<size_t> BinBegin; ///< the first interval of each, and End
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_GROWTHRANGES_H
