// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations that outlive their siblings.
//
// Of a stack that allocated often and freed nearly all of it soon, a few blocks
// that were never freed: what a rare path forgot. Found by the counts of the
// summary and the intervals; the allocation times of the few are those of the
// blocks that lived at the end.

#ifndef MEMKIT_ANALYSIS_OUTLIERS_H
#define MEMKIT_ANALYSIS_OUTLIERS_H

#include "memkit/Model/Intervals.h"
#include "memkit/Model/LastBlocks.h"

namespace memkit {

struct OutlierOptions {
  uint64_t MinAllocations = 100;
  /// The most of a stack's blocks that are outliers.
  double MaxShare = 0.01;
  /// An outlier is so many times as old as its siblings became on average,
  /// and as old as this part of the run.
  double TimesOlder = 10, MinAge = 0.1;
  /// The most that siblings live on average: a step, or this part of a run
  /// without steps.
  double ShortLife = 0.01;
  /// What was allocated in this part of the run is kept by design.
  double WarmUp = 0.2;
};

/// The outliers of one (process, heap, stack).
struct Outlier {
  uint32_t Process = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t Blocks = 0, Bytes = 0;      ///< that outlive the others
  uint64_t Allocations = 0;            ///< of all
  uint64_t LifeNs = 0;                 ///< how long the others lived on average
  uint64_t OldestNs = 0, NewestNs = 0; ///< of allocation
};

/// Finds outliers: first add() each block that forEachLastBlock() gives, then
/// find(). Without blocks nothing is found.
class OutlierFinder {
public:
  OutlierFinder(const SelectedStats &S, const OutlierOptions &Options = {});
  /// Whether any row of the summary may have outliers: else no block is wanted.
  bool hasCandidates() const { return !Rows.empty(); }
  void add(uint32_t Process, uint64_t EndNs, const LiveBlock &B);
  /// Those with most bytes first.
  llvm::Expected<std::vector<Outlier>> find(IntervalSeries &Intervals);

private:
  struct OldBlock {
    uint64_t Bytes;
    uint64_t AllocatedNs;
  };
  struct Row {
    uint32_t Process, Heap, Stack;
    uint64_t Allocations;
    double Lived = 0; ///< blocks times ns, up to the end
    uint64_t EndNs = 0;
    std::vector<OldBlock> Live;
  };
  using Key = std::pair<uint64_t, uint32_t>;
  static Key key(uint32_t Process, uint32_t Heap, uint32_t Stack) {
    return {uint64_t(Process) << 32 | Heap, Stack};
  }
  llvm::Error addLives(IntervalSeries &Intervals);
  void judge(const Row &R, const ProcessIntervals &I,
             std::vector<Outlier> &Out) const;

  OutlierOptions Options;
  std::vector<Row> Rows;
  llvm::DenseMap<Key, uint32_t> RowOf;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_OUTLIERS_H
