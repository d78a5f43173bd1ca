// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A selected part of a trace.

#ifndef MEMKIT_MODEL_SELECTION_H
#define MEMKIT_MODEL_SELECTION_H

#include "memkit/Model/Replay.h"
#include "memkit/Model/SelectionSpec.h"
#include "memkit/Model/TimePoints.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/BitVector.h"

namespace memkit {

/// The keys of stats.
enum class StatsBy {
  Stacks,
  ScopePaths,
  Groups, ///< keys that the caller computes from allocations
};

/// The part of a trace that a SelectionSpec chooses. Ids are the trace's.
class Selection {
public:
  /// Fails if a pattern is wrong (RequestError) or matches nothing, which the
  /// spec may allow; the error then lists the possible values.
  static llvm::Expected<Selection> create(const Trace &T,
                                          const SelectionSpec &S);

  /// This selection, with one heap (as if chosen by name) and one process
  /// alone; 0: as before.
  Selection narrowedTo(uint32_t Heap, uint32_t Process) const;

  /// Whether heaps were chosen by name. If so, all bytes of their blocks count
  /// (the outer view). Otherwise a byte counts once, in the innermost heap.
  bool isOuterView() const { return OuterView; }
  /// Without a choice, every heap that counts in the totals.
  bool hasHeap(uint32_t Heap) const { return Heaps[Heap]; }
  bool hasProcess(uint32_t Process) const { return Processes[Process]; }
  bool hasStack(uint32_t Stack) const { return AllStacks || Stacks[Stack]; }

  /// Whether the selection needs events because the summary cannot answer: a
  /// summary has neither sizes of blocks, nor threads, nor stacks combined with
  /// scope paths, nor time points other than the end and the peaks.
  bool needsEvents(StatsBy By = StatsBy::Stacks) const {
    return needsAllocationTimes(By) || (Times.At && !Times.At->IsEnd);
  }
  /// Whether the selection must check each allocation with hasAllocation(),
  /// because rows of stats lack the needed properties.
  bool needsAllocationTimes(StatsBy By = StatsBy::Stacks) const {
    bool All = By == StatsBy::Stacks ? AllScopePaths : AllStacks;
    return MinSize || !AllThreads || !All || Times.Since || Times.Until ||
           By == StatsBy::Groups;
  }
  bool hasThread(uint32_t Thread) const {
    return AllThreads || Threads[Thread];
  }
  bool hasScopePath(uint32_t ScopePath) const {
    return AllScopePaths || ScopePaths[ScopePath];
  }
  /// Whether the block of this allocation is chosen, at any time. For lists of
  /// events: without chosen heaps, blocks of heaps outside the totals are
  /// chosen, too.
  bool hasBlock(const Allocation &B) const {
    return B.Size >= MinSize && hasProcess(B.Process) &&
           (!OuterView || hasHeap(B.Heap)) && hasStack(B.Stack) &&
           hasThread(B.Thread) && hasScopePath(B.ScopePath);
  }
  bool hasAllBlocks() const {
    return !MinSize && !OuterView && Processes.all() && AllStacks &&
           AllThreads && AllScopePaths;
  }
  const TimeWindow &times() const { return Times; }
  /// The time point of --at, or of --at=peak without an --at.
  llvm::Expected<TimePoint> atOrPeak(const Trace &T) const;
  /// Whether this allocation is chosen.
  bool hasAllocation(const Allocation &B) const {
    return B.Size >= MinSize && Times.hasAllocationAt(B.TimeNs) &&
           hasProcess(B.Process) && hasHeap(B.Heap) && hasStack(B.Stack) &&
           hasThread(B.Thread) && hasScopePath(B.ScopePath);
  }
  /// Whether snapshots have all properties of blocks that the selection checks.
  /// A snapshot has a block's size at the snapshot's time point, not at its
  /// allocation, and no thread.
  bool canStartNear() const { return !MinSize && AllThreads; }

private:
  llvm::Error chooseHeaps(const Trace &T, const SelectionSpec &S);
  llvm::Error chooseProcesses(const Trace &T, const SelectionSpec &S);
  llvm::Error chooseStacks(const Trace &T, const SelectionSpec &S);
  llvm::Error chooseThreads(const Trace &T, const SelectionSpec &S);
  llvm::Error chooseScopePaths(const Trace &T, const SelectionSpec &S);
  llvm::Error chooseLayers(const Trace &T, const SelectionSpec &S);
  llvm::Error chooseTimes(const Trace &T, const SelectionSpec &S);

  bool OuterView = false;
  bool AllStacks = true;
  bool AllThreads = true;
  bool AllScopePaths = true;
  uint64_t MinSize = 0;
  TimeWindow Times;
  llvm::BitVector Heaps, Processes, Stacks, Threads, ScopePaths; ///< by id
};

} // namespace memkit

#endif // MEMKIT_MODEL_SELECTION_H
