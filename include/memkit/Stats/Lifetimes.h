// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the blocks of a stack live.
//
// For each row of stacks: how many bytes of each interval still live (cohorts),
// and how old those bytes became that outlived the interval of their allocation
// and were freed later (late frees). A leak is what survives, cohort after
// cohort; Analysis/Survival.h judges it.
//
// Cost. A block that is freed in the interval of its allocation costs a
// comparison of allocation ids. A late free is noted in a queue, and the queue
// is applied when the interval ends: see LateQueue.h. Memory: 8 bytes a row;
// 170 bytes for each row that changed in an interval after its first, with room
// for two cohorts and a class of ages, 40 for each further cohort that lives
// (at most MaxCohorts), 56 for each further class of ages; 32 for each entry of
// the queue, which has 16 KiB more in a process with late frees, 24 an
// interval.
//
// The end of a process frees what the program would have kept. So each space of
// a process has a cut: the last end of an interval, but for the one that runs,
// at which nearly as much lived as ever in the last quarter of the run, and
// from which it does not fall without rising again. What was freed since the
// cut is kept apart, so that the values at the cut can be given.
//
// Not thread-safe; part of LiveStats.

#ifndef MEMKIT_STATS_LIFETIMES_H
#define MEMKIT_STATS_LIFETIMES_H

#include "memkit/Trace/Lifetimes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace memkit {

/// When an interval begins.
struct IntervalBegin {
  uint64_t FirstAllocationId =
      0; ///< blocks from it on are allocated in it or later
  uint64_t BeginNs = 0;
  uint64_t Step = 0; ///< that runs then; 0: before the first
};

/// The intervals of a process, the one that runs included.
class IntervalLog {
public:
  void begin(IntervalBegin I) { Begins.push_back(I); }
  /// A step begins with the interval that runs.
  void setStep(uint64_t Step) { Begins.back().Step = Step; }
  /// The interval that runs.
  uint32_t current() const { return static_cast<uint32_t>(Begins.size()) - 1; }
  /// Which interval the block AllocationId was allocated in, before the one
  /// that runs: most often that of the last block that was asked for.
  uint32_t intervalOf(uint64_t AllocationId) {
    if (Found + size_t(1) >= Begins.size() ||
        AllocationId < Begins[Found].FirstAllocationId ||
        AllocationId >= Begins[Found + 1].FirstAllocationId)
      Found = find(AllocationId);
    return Found;
  }
  const IntervalBegin &operator[](uint32_t Interval) const {
    return Begins[Interval];
  }
  /// The class of ages of blocks of the interval AllocatedIn that die in
  /// FreedIn.
  AgeClass ageClass(uint32_t AllocatedIn, uint32_t FreedIn) const;
  /// Where an interval lies, from 0 (the first) to 1 (the end of Last): by
  /// steps once there are any.
  double place(uint32_t Interval, uint32_t Last) const;

private:
  uint32_t find(uint64_t AllocationId) const;
  std::vector<IntervalBegin> Begins;
  uint32_t Found = 0; ///< by intervalOf()
};

/// The cut of a space of a process: see above.
class ShutdownCut {
public:
  /// LiveBytes: at the end of the interval that was the Intervals-th.
  void noteEnd(const IntervalLog &Log, uint32_t Intervals, uint64_t LiveBytes);
  /// So many intervals lie before the cut. 0: none has ended.
  uint32_t intervals() const { return Cut; }

private:
  struct Level {
    uint32_t Intervals;
    uint64_t LiveBytes;
  };
  uint32_t Cut = 0;
  double LevelAtCut = 0, LowestSince = 0;
  /// Levels that no later one of the last quarter reaches; the highest first.
  std::deque<Level> Highest;
};

/// What is known of a row.
class Lifetime {
public:
  static constexpr size_t MaxCohorts = 64;

  /// The row had a cohort when it was still its only one.
  Lifetime(uint32_t Interval, uint64_t Blocks, uint64_t Bytes);
  /// Of the row's space and process. Frees that are late from here on are after
  /// the cut.
  struct CutAndLog {
    uint32_t Cut;
    const IntervalLog &Log;
  };
  /// What its blocks rose by in the interval that ended; falls are negative.
  void addAllocated(uint32_t Interval, int64_t Blocks, int64_t Bytes,
                    CutAndLog C);
  /// Blocks of the interval AllocatedIn were freed in the interval FreedIn.
  void addLateFree(uint32_t AllocatedIn, uint32_t FreedIn, uint64_t Blocks,
                   uint64_t Bytes, CutAndLog C);
  /// The values at the cut that was given last, or a later one;
  /// heap and stack are left alone.
  void writeAt(uint32_t Cut, LifetimeRow &Out) const;

private:
  struct Live {
    uint32_t Interval = 0;
    uint32_t Last = 0;        ///< interval that it has, too
    uint32_t FreedSince = 0;  ///< the cut of the two below
    uint32_t FreedBlocks = 0; ///< since that cut
    uint64_t FreedBytes = 0;
    int64_t Blocks = 0; ///< negative for a moment, between the two calls
    int64_t Bytes = 0;
    /// What was freed before the cut needs no room of its own.
    void setCut(uint32_t Cut) {
      if (FreedSince != Cut)
        FreedSince = Cut, FreedBlocks = 0, FreedBytes = 0;
    }
    bool isEmpty(uint32_t Cut) const {
      return !Blocks && !Bytes && (FreedSince != Cut || !FreedBytes);
    }
  };
  struct Aged : LateFrees {
    uint32_t LastInterval = UINT32_MAX;
    uint32_t Since = 0; ///< the cut of those below
    uint32_t SinceIntervals = 0;
    uint64_t SinceBlocks = 0, SinceBytes = 0; ///< of those, since that cut
    void setCut(uint32_t Cut) {
      if (Since != Cut)
        Since = Cut, SinceBlocks = 0, SinceBytes = 0, SinceIntervals = 0;
    }
  };
  Live &cohortAt(uint32_t Interval, CutAndLog C);
  void addCohort(uint32_t Interval, CutAndLog C);
  Aged &freesAt(AgeClass Age);
  void dropEmpty(uint32_t Cut);
  void makeRoom(uint32_t Last, CutAndLog C);

  /// Rising intervals; the oldest may hold several. Most rows have few, and few
  /// classes of ages: no memory of their own.
  llvm::SmallVector<Live, 2> Cohorts;
  llvm::SmallVector<Aged, 1> Frees;
};
// Three lie in 512 bytes, which a deque asks for at a time.
static_assert(sizeof(Lifetime) <= 170);

} // namespace memkit

#endif // MEMKIT_STATS_LIFETIMES_H
