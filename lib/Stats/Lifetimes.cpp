// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the blocks of a stack live.

#include "memkit/Stats/Lifetimes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <bit>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

uint32_t IntervalLog::find(uint64_t AllocationId) const {
  auto After = upper_bound(Begins, AllocationId, [](uint64_t O, const auto &I) {
    return O < I.FirstAllocationId;
  });
  return After == Begins.begin()
             ? 0
             : static_cast<uint32_t>(After - Begins.begin()) - 1;
}

AgeClass IntervalLog::ageClass(uint32_t AllocatedIn, uint32_t FreedIn) const {
  auto Class = [](uint64_t Units) {
    return static_cast<uint8_t>(std::min<int>(
        std::bit_width(std::max<uint64_t>(Units, 1)), NumAgeClasses - 1));
  };
  const IntervalBegin &From = Begins[AllocatedIn], &To = Begins[FreedIn];
  AgeClass Age;
  Age.Time = Class((To.ActiveNs - From.ActiveNs) / AgeUnitNs) - 1;
  if (From.Step)
    // A program may number its steps in any way.
    Age.Steps = Class(To.Step - std::min(From.Step, To.Step));
  return Age;
}

bool IntervalLog::countsSteps(uint32_t Last) const {
  return Begins[Last].Step &&
         !(Last && Begins[Last - 1].Step == Begins[Last].Step);
}

double IntervalLog::place(uint32_t Interval, uint32_t Last) const {
  const IntervalBegin &At = Begins[Interval], &First = Begins.front(),
                      &End = Begins[Last];
  auto Share = [](uint64_t Part, uint64_t Whole) {
    return Part < Whole ? static_cast<double>(Part) / static_cast<double>(Whole)
                        : 1.0;
  };
  return countsSteps(Last) ? Share(At.Step, End.Step)
                           : Share(At.ActiveNs - First.ActiveNs,
                                   End.ActiveNs - First.ActiveNs);
}

double IntervalLog::clock(uint32_t Interval, uint32_t Last) const {
  const IntervalBegin &At = Begins[Interval];
  return countsSteps(Last) ? static_cast<double>(At.Step)
                           : static_cast<double>(At.BeginNs) / 1e9;
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

/// A rise by this part of the fall ends the fall.
static constexpr double RisenPart = 0.25;
/// Live bytes rest while they fall by less than this part of the fall.
static constexpr double RestPart = 0.02;
/// The longest rest: the highest of these seconds, and these parts of the life
/// and of the fall's length.
static constexpr double RestSeconds = 0.4, RestOfLife = 0.01, RestOfFall = 0.2;
/// A shutdown falls by this many times the largest fall of the last half of the
/// life before, by this part of the live bytes at least, and keeps at most this
/// part of the fall.
static constexpr double TimesOfFalls = 1.25, MinFall = 0.01, MaxKept = 0.1;
/// A fall of more than this part of the life, and of these seconds, is work if
/// the program allocates this part as often as before: a queue drains.
static constexpr double FallOfLife = 0.25, FallSeconds = 1, PartOfRate = 0.1;

/// The longest rest of a fall, in units of clock().
double ShutdownCut::maxRest(const IntervalLog &Log) const {
  uint32_t Now = numIntervals();
  double Life = Log.clock(Now, Now) - Log.clock(0, Now);
  double Fall = Log.clock(LowestAt, Now) - Log.clock(Cut, Now);
  double Max = std::max(RestOfLife * Life, RestOfFall * Fall);
  if (!Log.countsSteps(Now))
    Max = std::max(Max, RestSeconds);
  // An interval may be longer than a rest.
  return std::max(Max, Log.clock(Now, Now) -
                           Log.clock(Now - std::min<uint32_t>(Now, 1), Now));
}

/// Whether the program goes on with its work while live bytes fall. Times are
/// without quiet time.
bool ShutdownCut::isWork(const IntervalLog &Log) const {
  struct Stretch {
    double Seconds, Allocations;
  };
  auto Since = [&](uint32_t From, uint32_t To) {
    return Stretch{
        static_cast<double>(Log[To].ActiveNs - Log[From].ActiveNs) / 1e9,
        static_cast<double>(Levels[To - 1].Allocations -
                            (From ? Levels[From - 1].Allocations : 0))};
  };
  Stretch Before = Since(0, Cut), Fall = Since(Cut, numIntervals());
  return Fall.Seconds > FallSeconds &&
         Fall.Seconds > FallOfLife * (Before.Seconds + Fall.Seconds) &&
         Fall.Allocations > 0 &&
         Fall.Allocations * Before.Seconds >=
             PartOfRate * Before.Allocations * Fall.Seconds;
}

void ShutdownCut::noteEnd(const IntervalLog &Log, uint32_t Intervals,
                          Level At) {
  // A space that a process uses late had nothing live before.
  Levels.resize(Intervals - 1);
  Levels.push_back(At);
  uint64_t LiveBytes = At.LiveBytes;
  if (Cut == 0 || LiveBytes >= levelAtCut())
    return advance();
  auto Fall = static_cast<double>(levelAtCut() - Lowest);
  auto Level = static_cast<double>(LiveBytes),
       Low = static_cast<double>(Lowest);
  if (Level - Low >= RisenPart * Fall && Fall > 0)
    return advance();
  if (Low - Level > RestPart * Fall) {
    Lowest = LiveBytes;
    LowestAt = Intervals;
  } else if (Log.clock(Intervals, Intervals) - Log.clock(LowestAt, Intervals) >
             maxRest(Log)) {
    advance();
  }
}

/// The largest fall in the last half before the cut, over at most twice the
/// length of the fall after it.
uint64_t ShutdownCut::largestFallBefore() const {
  size_t Length = 2 * size_t(numIntervals() - Cut) + 2;
  std::deque<size_t> Highest; ///< falling levels of the last Length intervals
  uint64_t Largest = 0;
  for (size_t I = Cut / 2; I != Cut; ++I) {
    while (!Highest.empty() &&
           Levels[Highest.back()].LiveBytes <= Levels[I].LiveBytes)
      Highest.pop_back();
    Highest.push_back(I);
    if (Highest.front() + Length < I)
      Highest.pop_front();
    Largest = std::max(Largest,
                       Levels[Highest.front()].LiveBytes - Levels[I].LiveBytes);
  }
  return Largest;
}

void ShutdownCut::finish(const IntervalLog &Log, uint64_t FirstNs,
                         function_ref<uint64_t(uint32_t)> KeptSince) {
  IsFinished = true;
  if (Cut == numIntervals())
    return;
  auto Fall =
      static_cast<double>(levelAtCut() - std::min(Lowest, levelAtCut()));
  double Rest = Log.countsSteps(numIntervals())
                    ? 0
                    : static_cast<double>(FirstNs) / 1e9 -
                          Log.clock(LowestAt, numIntervals());
  bool IsShutdown =
      Fall >= MinFall * static_cast<double>(levelAtCut()) &&
      Rest <= maxRest(Log) && !isWork(Log) &&
      Fall >= TimesOfFalls * static_cast<double>(largestFallBefore()) &&
      static_cast<double>(KeptSince(Cut)) <= MaxKept * Fall;
  if (!IsShutdown)
    advance();
}

//===----------------------------------------------------------------------===//
// A row
//===----------------------------------------------------------------------===//

Lifetime::Lifetime(uint32_t Interval, uint64_t Blocks, uint64_t Bytes) {
  Live L;
  L.Interval = L.Last = Interval;
  L.Blocks = static_cast<int64_t>(Blocks);
  L.Bytes = static_cast<int64_t>(Bytes);
  Cohorts.push_back(L);
}

/// When all cohorts are in use, merges neighbours until half of the places are
/// free. The merged cohorts are equal parts of the time from the row's first
/// cohort to the end of the interval Last, which has ended. So a recorder and a
/// replay, which call this at different times, have equal cohorts.
void Lifetime::makeRoom(uint32_t Last, CutAndLog C) {
  dropEmpty(C.Cut);
  if (Cohorts.size() < MaxCohorts)
    return;
  double First = C.Log.place(Cohorts.front().Interval, Last);
  double Width = std::max((1 - First) / (MaxCohorts / 2), 1e-9);
  auto PartOf = [&](const Live &L) {
    double Off = std::max(C.Log.place(L.Interval, Last) - First, 0.0);
    return static_cast<size_t>(Off / Width);
  };
  llvm::SmallVector<Live, 2> Few;
  for (Live &L : Cohorts) {
    L.setCut(C.Cut);
    // Cohorts that begin before the cut do not join those after it.
    bool Joins = !Few.empty() && PartOf(Few.back()) == PartOf(L) &&
                 (L.Interval < C.Cut) == (Few.back().Interval < C.Cut);
    if (!Joins) {
      Few.push_back(L);
      continue;
    }
    Live &To = Few.back();
    To.Last = L.Last;
    To.Blocks += L.Blocks;
    To.Bytes += L.Bytes;
    To.FreedBlocks += L.FreedBlocks;
    To.FreedBytes += L.FreedBytes;
  }
  Cohorts = std::move(Few);
}

void Lifetime::dropEmpty(uint32_t Cut) {
  erase_if(Cohorts, [&](const Live &L) { return L.isEmpty(Cut); });
}

void Lifetime::addCohort(uint32_t Interval, CutAndLog C) {
  if (Cohorts.size() >= MaxCohorts)
    makeRoom(Interval, C);
  if (Cohorts.size() == Cohorts.capacity())
    dropEmpty(C.Cut);
  Live L;
  L.Interval = L.Last = Interval;
  Cohorts.push_back(L);
}

/// The cohort of Interval, added if all cohorts are older.
inline Lifetime::Live &Lifetime::cohortAt(uint32_t Interval, CutAndLog C) {
  if (Cohorts.empty() || Cohorts.back().Interval < Interval)
    addCohort(Interval, C);
  if (Cohorts.back().Interval == Interval) // the most frequent case
    return Cohorts.back();
  auto After = upper_bound(Cohorts, Interval, [](uint32_t I, const Live &L) {
    return I < L.Interval;
  });
  return After == Cohorts.begin() ? Cohorts.front() : *std::prev(After);
}

void Lifetime::addAllocated(uint32_t Interval, int64_t Blocks, int64_t Bytes,
                            CutAndLog C) {
  if (!Blocks && !Bytes)
    return;
  Live &L = cohortAt(Interval, C);
  L.Blocks += Blocks;
  L.Bytes += Bytes;
}

uint64_t Lifetime::bytesSince(uint32_t Interval) const {
  int64_t Sum = 0;
  for (const Live &L : Cohorts)
    Sum += L.Interval >= Interval ? L.Bytes : 0;
  return static_cast<uint64_t>(std::max<int64_t>(Sum, 0));
}

/// Finds the entry of Age. Frequent classes move towards the front.
inline Lifetime::Aged &Lifetime::freesAt(AgeClass Age) {
  auto At = find_if(Frees, [&](const Aged &A) { return A.Age == Age; });
  if (At == Frees.end()) {
    Frees.emplace_back().Age = Age;
    return Frees.back();
  }
  if (At == Frees.begin() || At->Blocks <= std::prev(At)->Blocks)
    return *At;
  std::swap(*At, *std::prev(At));
  return *std::prev(At);
}

void Lifetime::addLateFree(uint32_t AllocatedIn, uint32_t FreedIn,
                           uint64_t Blocks, uint64_t Bytes, CutAndLog C) {
  addAllocated(FreedIn, static_cast<int64_t>(Blocks),
               static_cast<int64_t>(Bytes), C);
  // After addAllocated(), which may move the cohorts.
  if (AllocatedIn >= Cohorts.front().Interval) {
    Live &L = cohortAt(AllocatedIn, C);
    L.Blocks -= static_cast<int64_t>(Blocks);
    L.Bytes -= static_cast<int64_t>(Bytes);
    L.setCut(C.Cut);
    L.FreedBlocks += static_cast<uint32_t>(Blocks);
    L.FreedBytes += Bytes;
  }
  Aged &A = freesAt(C.Log.ageClass(AllocatedIn, FreedIn));
  A.setCut(C.Cut);
  bool NewInterval = A.LastInterval != FreedIn;
  A.LastInterval = FreedIn;
  A.Intervals += NewInterval;
  A.SinceIntervals += NewInterval;
  A.Blocks += Blocks;
  A.Bytes += Bytes;
  A.SinceBlocks += Blocks;
  A.SinceBytes += Bytes;
}

void Lifetime::writeAt(uint32_t At, LifetimeRow &Out) const {
  Out.Cohorts.clear();
  Out.Frees.clear();
  // A cohort below zero shrank by more than its interval allocated: the next
  // older cohorts lose the difference.
  int64_t LessBlocks = 0, LessBytes = 0;
  auto Take = [](int64_t Have, int64_t &Less) {
    int64_t Left = Have + Less;
    Less = std::min<int64_t>(Left, 0);
    return static_cast<uint64_t>(std::max<int64_t>(Left, 0));
  };
  for (const Live &L : reverse(Cohorts)) {
    if (L.Interval >= At)
      continue;
    Cohort C;
    C.Interval = L.Interval;
    C.Last = L.Last;
    bool Freed = L.FreedSince == At;
    C.Blocks = Take(L.Blocks + (Freed ? L.FreedBlocks : 0), LessBlocks);
    C.Bytes = Take(L.Bytes + static_cast<int64_t>(Freed ? L.FreedBytes : 0),
                   LessBytes);
    if (C.Bytes || C.Blocks)
      Out.Cohorts.push_back(C);
  }
  std::reverse(Out.Cohorts.begin(), Out.Cohorts.end());
  for (const Aged &A : Frees) {
    LateFrees F = A;
    if (A.Since == At) {
      F.Blocks -= A.SinceBlocks;
      F.Bytes -= A.SinceBytes;
      F.Intervals -= A.SinceIntervals;
    }
    if (F.Bytes || F.Blocks)
      Out.Frees.push_back(F);
  }
  sort(Out.Frees, [](const LateFrees &A, const LateFrees &B) {
    return std::pair(A.Age.Steps, A.Age.Time) <
           std::pair(B.Age.Steps, B.Age.Time);
  });
}

//===----------------------------------------------------------------------===//
// A row with a single cohort
//===----------------------------------------------------------------------===//

bool BriefLifetime::addLateFree(uint32_t Allocated, uint32_t Freed,
                                uint64_t MoreBlocks, uint64_t MoreBytes) {
  if (Allocated != AllocatedIn || Freed != FreedIn ||
      MoreBlocks > UINT32_MAX - LateBlocks)
    return false;
  LateBlocks += static_cast<uint32_t>(MoreBlocks);
  LateBytes += MoreBytes;
  return true;
}

Lifetime BriefLifetime::expand(Lifetime::CutAndLog C) const {
  Lifetime L(AllocatedIn, Blocks, Bytes);
  // Frees before the cut need no count. A cut moves only past whole intervals,
  // so frees from the cut on were noted with this cut.
  Lifetime::CutAndLog Then{FreedIn >= C.Cut ? C.Cut : 0, C.Log};
  L.addAllocated(FreedIn, -static_cast<int64_t>(Blocks),
                 -static_cast<int64_t>(Bytes), Then);
  if (LateBlocks || LateBytes)
    L.addLateFree(AllocatedIn, FreedIn, LateBlocks, LateBytes, Then);
  return L;
}

} // namespace memkit
