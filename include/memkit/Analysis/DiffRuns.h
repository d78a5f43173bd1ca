// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs that are compared.

#ifndef MEMKIT_ANALYSIS_DIFFRUNS_H
#define MEMKIT_ANALYSIS_DIFFRUNS_H

#include "memkit/Model/Profile.h"
#include "memkit/Model/SelectedStats.h"
#include "memkit/Model/StackKeys.h"

namespace memkit {

/// What one run, or a group of runs on average, has of a part of a heap, all
/// processes together. Bytes are exclusive, unless heaps were chosen.
struct StackMetrics {
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBytes = 0; ///< when each process ended
  uint64_t LiveBlocks = 0;
  /// The most that one process had of a stack at once; 0 of several stacks.
  uint64_t PeakBytes = 0;
  uint64_t AtPeakBytes =
      0; ///< at the peak of its memory space (of chosen heaps: theirs)
  bool operator==(const StackMetrics &) const = default;

  /// All but PeakBytes.
  void add(const StackMetrics &Other);
};

/// The same of a row, without its PeakBytes. Outer: all bytes of its blocks.
StackMetrics metricsOfRow(const StackStats &R, bool Outer);

/// Each rounded; of none all zeros.
StackMetrics meanOf(llvm::ArrayRef<StackMetrics> Runs);

/// The value of a metric in M. Leaked is as Live.
uint64_t metricOf(const StackMetrics &M, Metric By);

/// The variance of what metricOf() gives in bytes, for a heap with SampleBytes;
/// 0 for what is not in bytes.
double varianceOf(const StackMetrics &M, Metric By, uint64_t SampleBytes);

/// Two groups of runs. Heaps have one number in all of them, by name.
class DiffRuns {
public:
  /// Whole: whether nothing was selected. Renamed: from the names of Before to
  /// those of After. All must outlive it.
  DiffRuns(llvm::ArrayRef<const SelectedStats *> Before,
           llvm::ArrayRef<const SelectedStats *> After, bool Whole,
           const Renames &Renamed);

  size_t size() const { return Runs.size(); } ///< those before stand first
  size_t numBefore() const { return Before; }
  bool isAfter(size_t Run) const { return Run >= Before; }
  /// Whether one run of each is compared.
  bool isPair() const { return Before == 1 && size() == 2; }
  const SelectedStats &run(size_t Run) const { return *Runs[Run]; }
  const Trace &trace(size_t Run) const { return Runs[Run]->trace(); }
  bool isWhole() const { return Whole; }
  KeyRules rules(size_t Run) const {
    return {isAfter(Run) ? nullptr : &Renamed, &Mains[Run], &Moved};
  }
  template <typename T> llvm::ArrayRef<T> before(llvm::ArrayRef<T> All) const {
    return All.take_front(Before);
  }
  template <typename T> llvm::ArrayRef<T> after(llvm::ArrayRef<T> All) const {
    return All.drop_front(Before);
  }

  struct HeapInfo {
    llvm::StringRef Name;      ///< as the last run that has it calls it
    std::string Space;         ///< the memory space that it is of, likewise
    bool CountsInHost = false; ///< in the totals
    uint64_t SampleBefore = 0, SampleAfter = 0; ///< Heap::estimateBytes()
  };
  llvm::ArrayRef<HeapInfo> heaps() const { return Heaps; }
  uint32_t heapNumber(size_t Run, uint32_t Id) const { return Ids[Run][Id]; }
  /// The id that a heap has in Run, 0 where it is not there.
  uint32_t heapId(size_t Run, uint32_t Number) const;

  /// Calls F for each run, for two at a time.
  void forEachRun(llvm::function_ref<void(size_t Run)> F) const;

private:
  std::vector<const SelectedStats *> Runs;
  size_t Before;
  bool Whole;
  const Renames &Renamed;
  std::vector<MainNames> Mains; ///< by run: as the last run calls programs
  llvm::StringSet<> Moved;
  std::vector<HeapInfo> Heaps;
  std::vector<std::vector<uint32_t>> Ids; ///< by run and heap
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFFRUNS_H
