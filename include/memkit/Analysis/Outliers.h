// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds allocations that outlive their siblings.
//
// An outlier is one of few blocks that were never freed, from a stack that
// allocated often and freed nearly all blocks soon: a rare path forgot to free
// the block. The counts of the summary and the intervals give the candidates;
// the blocks live at the end give the allocation times.

#ifndef MEMKIT_ANALYSIS_OUTLIERS_H
#define MEMKIT_ANALYSIS_OUTLIERS_H

#include "memkit/Model/Intervals.h"
#include "memkit/Model/LastBlocks.h"

namespace memkit {

struct OutlierOptions {
  uint64_t MinAllocations = 100;
  /// The maximum share of outliers among a stack's blocks.
  double MaxShare = 0.01;
  /// The minimum age of an outlier: a multiple of the average lifetime of its
  /// siblings, and a part of the run.
  double TimesOlder = 10, MinAge = 0.1;
  /// The maximum average lifetime of siblings: a step, or this part of a run
  /// without steps.
  double ShortLife = 0.01;
  /// Blocks allocated in this first part of the run are kept by design.
  double WarmUp = 0.2;
};

/// The outliers of one (process, heap, stack).
struct Outlier {
  uint32_t Process = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint64_t Blocks = 0, Bytes = 0;      ///< the outliers
  uint64_t Allocations = 0;            ///< of all
  uint64_t LifeNs = 0;                 ///< average lifetime of the siblings
  uint64_t OldestNs = 0, NewestNs = 0; ///< of allocation
};

/// Finds outliers: first add() each block of forEachLastBlock(), then find().
/// Without blocks, find() finds nothing.
class OutlierFinder {
public:
  OutlierFinder(const SelectedStats &S, const OutlierOptions &Options = {});
  /// Whether any row of the summary may have outliers; if not, add() needs no
  /// block.
  bool hasCandidates() const { return !Rows.empty(); }
  void add(uint32_t Process, uint64_t EndNs, const LiveBlock &B);
  /// Most bytes first.
  llvm::Expected<std::vector<Outlier>> find(IntervalSeries &Intervals);

private:
  struct OldBlock {
    uint64_t Bytes;
    uint64_t AllocatedNs;
  };
  /// The allocations of a row in an interval.
  struct AllocatedIn {
    uint64_t BeginNs, Allocations;
  };
  struct OutlierRow {
    uint32_t Process, Heap, Stack;
    uint64_t Allocations;
    double Lived = 0; ///< blocks times ns, up to the end
    uint64_t EndNs = 0;
    std::vector<OldBlock> Live;
    std::vector<AllocatedIn> Intervals; ///< with allocations, in order
  };
  using OutlierKey = std::pair<uint64_t, uint32_t>;
  static OutlierKey key(uint32_t Process, uint32_t Heap, uint32_t Stack) {
    return {uint64_t(Process) << 32 | Heap, Stack};
  }
  llvm::Error addLives(IntervalSeries &Intervals);
  static bool hasYoungerFreed(const OutlierRow &R, const OldBlock &B);
  void judge(const OutlierRow &R, const ProcessIntervals &I,
             std::vector<Outlier> &Out) const;

  OutlierOptions Options;
  std::vector<OutlierRow> Rows;
  llvm::DenseMap<OutlierKey, uint32_t> RowOf;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_OUTLIERS_H
