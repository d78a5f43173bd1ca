// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two groups of runs to compare.

#ifndef MEMKIT_ANALYSIS_DIFFRUNS_H
#define MEMKIT_ANALYSIS_DIFFRUNS_H

#include "memkit/Analysis/Suppressions.h"
#include "memkit/Model/Profile.h"
#include "memkit/Model/SelectedStats.h"
#include "memkit/Model/StackKeys.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/BitVector.h"

namespace memkit {

/// Metrics of a part of a heap over all processes, in one run or as the mean of
/// a group of runs. Bytes are exclusive, unless heaps were chosen.
struct StackMetrics {
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBytes = 0; ///< when each process ended
  uint64_t LiveBlocks = 0;
  /// The highest live bytes of a stack in one process; 0 for a sum of several
  /// stacks.
  uint64_t PeakBytes = 0;
  /// At the peak of the memory space; of chosen heaps: at their peak.
  uint64_t AtPeakBytes = 0;
  bool operator==(const StackMetrics &) const = default;

  /// All but PeakBytes.
  void add(const StackMetrics &Other);
};

/// The metrics of a row, without PeakBytes. Outer: count all bytes of the row's
/// blocks.
StackMetrics metricsOfRow(const StackStats &R, bool Outer);

/// The mean of each metric, rounded; all zeros for no runs.
StackMetrics meanOf(llvm::ArrayRef<StackMetrics> Runs);

/// The value of a metric in M. Leaked is as Live.
uint64_t metricOf(const StackMetrics &M, Metric By);

/// The variance of metricOf() in a heap with SampleBytes; 0 for metrics other
/// than bytes.
double varianceOf(const StackMetrics &M, Metric By, const SampledHeap &H);

/// Two groups of runs. A heap has one number in all runs, by its name.
class DiffRuns {
public:
  /// Whole: whether all of each trace is selected. Renamed: from the names of
  /// Before to the names of After. Hidden: stacks without reported changes. All
  /// arguments must outlive the object, but Hidden.
  DiffRuns(llvm::ArrayRef<const SelectedStats *> Before,
           llvm::ArrayRef<const SelectedStats *> After, bool Whole,
           const Renames &Renamed, const Suppressions &Hidden = {});

  size_t size() const { return Runs.size(); } ///< those before come first
  size_t numBefore() const { return Before; }
  bool isAfter(size_t Run) const { return Run >= Before; }
  /// Whether each group is a single run.
  bool isPair() const { return Before == 1 && size() == 2; }
  const SelectedStats &run(size_t Run) const { return *Runs[Run]; }
  const Trace &trace(size_t Run) const { return Runs[Run]->trace(); }
  bool isWhole() const { return Whole; }
  /// Whether a suppression hides the changes of a stack.
  bool isHidden(size_t Run, uint32_t Stack) const {
    return !HiddenStacks.empty() && HiddenStacks[Run][Stack];
  }
  KeyRules rules(size_t Run) const {
    return {
        isAfter(Run) ? nullptr : &Renamed, &Mains[Run], &Moved, &Nameless, {}};
  }
  template <typename T> llvm::ArrayRef<T> before(llvm::ArrayRef<T> All) const {
    return All.take_front(Before);
  }
  template <typename T> llvm::ArrayRef<T> after(llvm::ArrayRef<T> All) const {
    return All.drop_front(Before);
  }

  /// The binaries, as after, that have symbols in some runs only. Their
  /// functions count as one.
  const llvm::StringSet<> &namelessBinaries() const { return Nameless; }

  struct HeapInfo {
    llvm::StringRef Name;      ///< the name in the last run with this heap
    std::string Space;         ///< of the memory space, likewise
    bool CountsInHost = false; ///< in the totals
    SampledHeap Before, After; ///< of the runs, the one with the fewest samples
  };
  llvm::ArrayRef<HeapInfo> heaps() const { return Heaps; }
  uint32_t heapNumber(size_t Run, uint32_t Id) const { return Ids[Run][Id]; }
  /// The id of a heap in Run; 0 if Run lacks the heap.
  uint32_t heapId(size_t Run, uint32_t Number) const {
    llvm::ArrayRef<uint32_t> Of = HeapOf[Run];
    return Number < Of.size() ? Of[Number] : 0;
  }

  /// Calls F for each run, for two at a time.
  void forEachRun(llvm::function_ref<void(size_t Run)> F) const;

private:
  std::vector<const SelectedStats *> Runs;
  size_t Before;
  bool Whole;
  const Renames &Renamed;
  /// By run: programs by their names in the last run.
  std::vector<MainNames> Mains;
  llvm::StringSet<> Moved, Nameless;
  std::vector<HeapInfo> Heaps;
  std::vector<std::vector<uint32_t>> Ids; ///< by run and heap
  /// By run and number: the first heap with this number; 0: none.
  std::vector<std::vector<uint32_t>> HeapOf;
  /// By run and stack; empty: no suppressions.
  std::vector<llvm::BitVector> HiddenStacks;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFFRUNS_H
