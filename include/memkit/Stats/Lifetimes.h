// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifetimes of the blocks of each stack.
//
// For each row of stacks: the live bytes of each interval of allocation
// (cohorts), and the ages of bytes that outlived the interval of their
// allocation and were freed later (late frees). A leak survives cohort after
// cohort; Analysis/Survival.h judges survival.
//
// Cost. A block freed in the interval of its allocation costs a comparison of
// allocation ids. A late free enters a queue (LateQueue.h), which is applied at
// the end of the interval. Memory: 8 bytes a row; 32 for each row whose blocks
// were all freed in one later interval; 170 bytes for each other row that
// changed in an interval after its first, including two cohorts and one class
// of ages; 40 for each further live cohort (at most MaxCohorts); 56 for each
// further class of ages; 32 for each entry of the queue; 16 KiB for the queue
// of a process with late frees; 24 an interval.
//
// The end of a process frees memory that the program would have kept. So each
// memory space of a process has a cut, before the frees of a shutdown
// (ShutdownCut). Frees since the cut are kept apart, so the values at the cut
// are known. The last interval of a process never lies before the cut.
//
// Not thread-safe; part of LiveStats.

#ifndef MEMKIT_STATS_LIFETIMES_H
#define MEMKIT_STATS_LIFETIMES_H

#include "memkit/Trace/Lifetimes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace memkit {

/// The start of an interval.
struct IntervalBegin {
  /// The first allocation id of this interval or a later one.
  uint64_t FirstAllocationId = 0;
  uint64_t BeginNs = 0; ///< the end of the interval before
  /// The length of all intervals before, without quiet time.
  uint64_t ActiveNs = 0;
  uint64_t Step = 0; ///< the current step; 0: before the first
};

/// The intervals of a process, including the current interval.
class IntervalLog {
public:
  void begin(IntervalBegin I) { Begins.push_back(I); }
  /// Sets the step that starts with the current interval.
  void setStep(uint64_t Step) { Begins.back().Step = Step; }
  /// The current interval.
  uint32_t current() const { return static_cast<uint32_t>(Begins.size()) - 1; }
  /// The interval of allocation of the block AllocationId, which must be before
  /// the current interval. Fast if the last call had the same result.
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
  /// The age class of blocks allocated in AllocatedIn and freed in FreedIn.
  AgeClass ageClass(uint32_t AllocatedIn, uint32_t FreedIn) const;
  /// Whether the process is in its steps: there is one, and Last is no further
  /// interval of a long one.
  bool countsSteps(uint32_t Last) const;
  /// The position of an interval, from 0 (the first) to 1 (the end of Last);
  /// measured in steps if countsSteps(Last), else in time without quiet time.
  double place(uint32_t Interval, uint32_t Last) const;
  /// The begin of an interval in steps if countsSteps(Last), else in seconds,
  /// quiet time included.
  double clock(uint32_t Interval, uint32_t Last) const;

private:
  uint32_t find(uint64_t AllocationId) const;
  std::vector<IntervalBegin> Begins;
  uint32_t Found = 0; ///< the last result of intervalOf()
};

/// The cut of a memory space of a process.
///
/// A shutdown is a fall of live bytes that goes on without rest to the end of
/// the process, and is far larger than the falls before. While live bytes fall,
/// the cut stays at the begin of the fall: the program may be ending. The cut
/// advances when live bytes rise again by RisenPart of the fall, or rest. At
/// the end of the process finish() decides, also whether the program worked on
/// during a long fall; without a shutdown, the cut lies before the last
/// interval.
class ShutdownCut {
public:
  struct Level {
    uint64_t LiveBytes = 0;
    uint64_t Allocations = 0; ///< so far
  };
  /// At: the end of the first Intervals intervals. Call once for each number of
  /// intervals, in order.
  void noteEnd(const IntervalLog &Log, uint32_t Intervals, Level At);
  /// Ends the life of the process with the interval after those of the last
  /// noteEnd(), whose first change was at FirstNs. KeptSince: returns the live
  /// bytes that were allocated in the intervals from Cut on.
  void finish(const IntervalLog &Log, uint64_t FirstNs,
              llvm::function_ref<uint64_t(uint32_t Cut)> KeptSince);
  /// The number of intervals before the cut, while live bytes may still fall;
  /// 0: no interval has ended.
  uint32_t intervals() const { return Cut; }
  /// The number of intervals of the observed life: after finish() as
  /// intervals(), else all intervals that have ended; 0: none has a successor.
  uint32_t ofLife() const {
    return IsFinished || !Cut ? Cut : numIntervals() + 1;
  }

private:
  uint32_t numIntervals() const { return static_cast<uint32_t>(Levels.size()); }
  void advance() {
    Cut = LowestAt = numIntervals();
    Lowest = Levels.back().LiveBytes;
  }
  uint64_t levelAtCut() const { return Levels[Cut - 1].LiveBytes; }
  double maxRest(const IntervalLog &Log) const;
  bool isWork(const IntervalLog &Log) const;
  uint64_t largestFallBefore() const;

  std::vector<Level> Levels; ///< at the end of each interval
  uint64_t Lowest = 0;       ///< since the cut
  uint32_t LowestAt = 0;     ///< number of intervals before
  uint32_t Cut = 0;
  bool IsFinished = false;
};

/// The lifetimes of a row's blocks.
class Lifetime {
public:
  static constexpr size_t MaxCohorts = 64;

  /// Starts with the only cohort that the row has so far.
  Lifetime(uint32_t Interval, uint64_t Blocks, uint64_t Bytes);
  /// The cut of the row's memory space, and the log of its process. Late frees
  /// from here on are after the cut.
  struct CutAndLog {
    uint32_t Cut;
    const IntervalLog &Log;
  };
  /// Adds the change of the row's blocks in the interval that ended; negative
  /// for a fall.
  void addAllocated(uint32_t Interval, int64_t Blocks, int64_t Bytes,
                    CutAndLog C);
  /// The live bytes that were allocated in the intervals from Interval on.
  uint64_t bytesSince(uint32_t Interval) const;
  /// Adds blocks allocated in AllocatedIn and freed in FreedIn.
  void addLateFree(uint32_t AllocatedIn, uint32_t FreedIn, uint64_t Blocks,
                   uint64_t Bytes, CutAndLog C);
  /// Writes the values at Cut, which is the last cut passed or later. Does not
  /// set heap and stack.
  void writeAt(uint32_t Cut, LifetimeRow &Out) const;

private:
  struct Live {
    uint32_t Interval = 0;
    uint32_t Last = 0;        ///< last interval of the cohort
    uint32_t FreedSince = 0;  ///< the cut of FreedBlocks and FreedBytes
    uint32_t FreedBlocks = 0; ///< since that cut
    uint64_t FreedBytes = 0;
    int64_t Blocks = 0; ///< negative only between the two calls
    int64_t Bytes = 0;
    /// Resets the counts of frees when the cut has moved: frees before the cut
    /// need no count.
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
    uint32_t Since = 0; ///< the cut of SinceBlocks and so on
    uint32_t SinceIntervals = 0;
    uint64_t SinceBlocks = 0, SinceBytes = 0; ///< late frees since the cut
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

  /// In order of intervals; the oldest cohort may cover several intervals. Most
  /// rows have few cohorts and few classes of ages, so the first elements are
  /// stored inline.
  llvm::SmallVector<Live, 2> Cohorts;
  llvm::SmallVector<Aged, 1> Frees;
};
// Three lifetimes fit in 512 bytes, the unit of allocation of a deque.
static_assert(sizeof(Lifetime) <= 170);

/// The lifetimes of a row's blocks that were all allocated in one interval and
/// all freed in one later interval: most rows at the end of a process.
struct BriefLifetime {
  uint32_t AllocatedIn;
  uint32_t FreedIn;
  uint32_t Blocks; ///< at the end of the interval before FreedIn
  uint32_t LateBlocks = 0;
  uint64_t Bytes;         ///< likewise
  uint64_t LateBytes = 0; ///< late frees of FreedIn

  /// Adds a late free. False: a Lifetime has to.
  [[nodiscard]] bool addLateFree(uint32_t Allocated, uint32_t Freed,
                                 uint64_t Blocks, uint64_t Bytes);
  /// The same lifetimes in a form that can change further.
  Lifetime expand(Lifetime::CutAndLog C) const;
};
static_assert(sizeof(BriefLifetime) == 32);

} // namespace memkit

#endif // MEMKIT_STATS_LIFETIMES_H
