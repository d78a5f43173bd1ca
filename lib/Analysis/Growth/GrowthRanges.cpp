// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intervals of a memory space, as bins.

#include "GrowthRanges.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace memkit {

/// An end that is left out is reported if it is at least this part of the run.
static constexpr double WorthAWord = 0.03;

/// Whether an interval goes on within the long step of the one before.
static bool goesOn(ArrayRef<IntervalHead> Heads, size_t At) {
  return At && Heads[At].LastStep &&
         Heads[At].LastStep == Heads[At - 1].LastStep;
}

/// The number of steps of an interval, bounded because a file may be wrong.
static double stepsOf(ArrayRef<IntervalHead> Heads, size_t At) {
  const IntervalHead &H = Heads[At];
  if (H.LastStep == 0 || goesOn(Heads, At))
    return 0; // before the first, or of it
  return H.LastStep > H.FirstStep
             ? std::min(static_cast<double>(H.LastStep - H.FirstStep) + 1, 1e9)
             : 1;
}

/// Whether the process lived on behind its steps for much longer than they
/// took: then they were a part of it, and do not measure its life.
static bool outlivesSteps(ArrayRef<IntervalHead> Heads) {
  constexpr uint64_t TimesOfSteps = 2;
  size_t Tail = Heads.size(), First = 0;
  while (Tail && goesOn(Heads, Tail - 1))
    --Tail;
  while (First != Heads.size() && !Heads[First].LastStep)
    ++First;
  // The first interval of the long step is before Tail.
  if (First + 1 >= Tail || Heads.size() - Tail < MinGrowthIntervals)
    return false;
  uint64_t BeginNs = Heads[Tail - 1].BeginNs;
  return Heads.back().EndNs - BeginNs >
         TimesOfSteps * (BeginNs - Heads[First].BeginNs);
}

static double agesOf(uint64_t Ns) {
  return static_cast<double>(Ns) / static_cast<double>(AgeUnitNs);
}

static double countSteps(ArrayRef<IntervalHead> Heads, size_t First) {
  double Steps = 0;
  for (size_t S = First; S != Heads.size(); ++S)
    Steps += stepsOf(Heads, S);
  return Steps;
}

/// The first interval to measure from First on: that of the program's own
/// steps, if there are enough.
size_t RangeBins::ownSteps(ArrayRef<IntervalHead> Heads, size_t First,
                           uint64_t OwnStepsNs) {
  size_t Own = First;
  while (Own != Heads.size() && Heads[Own].BeginNs < OwnStepsNs)
    ++Own;
  return countSteps(Heads, Own) >= MinGrowthSteps ? Own : First;
}

bool RangeBins::choose(const ProcessIntervals &I, size_t Cut,
                       const GrowthOptions &Options, RecordedTime Recorded) {
  size_t First = 0, Last = I.Heads.size();
  while (Last && I.Heads[Last - 1].BeginNs >= Recorded.UntilNs)
    --Last;
  while (First != Last && I.Heads[First].BeginNs < Recorded.FromNs)
    ++First;
  ArrayRef<IntervalHead> Heads = ArrayRef(I.Heads).take_front(Last);
  First = ownSteps(Heads, First, Recorded.OwnStepsNs);
  End = std::max(First, std::min(Cut, Last));
  double Steps = countSteps(Heads, First);
  // The frees at the end of the process are no work.
  bool IsPart =
      outlivesSteps(ArrayRef(I.Heads).take_front(std::min(Cut, Last)));
  Span.HasSteps = Steps >= MinGrowthSteps && !IsPart;
  Span.TooFewSteps = Span.HasSteps || IsPart ? 0 : static_cast<uint64_t>(Steps);
  // The last step ends with the process, or is recorded in part.
  size_t Open = std::max(Last, First + 1) - 1;
  while (Span.HasSteps && Open > First && goesOn(Heads, Open))
    --Open;
  if (Span.HasSteps)
    End = std::min(End, Open);
  auto UnitsBetween = [&](size_t Interval) {
    const IntervalHead &H = I.Heads[Interval];
    if (Span.HasSteps)
      return stepsOf(I.Heads, Interval);
    return agesOf(H.EndNs - H.BeginNs);
  };
  for (size_t S = 0; S != I.Heads.size(); ++S)
    All += UnitsBetween(S);
  for (size_t S = 0; S != First; ++S)
    Skipped += UnitsBetween(S);
  double OfSpan = 0;
  for (size_t S = First; S != End; ++S)
    OfSpan += UnitsBetween(S);
  double Skip = Options.WarmUp * OfSpan;
  if (Span.HasSteps)
    Skip = std::max(Skip, static_cast<double>(Options.WarmUpSteps));
  Skip = std::max(Skip, (1 - Options.Window) * OfSpan);
  if (Span.HasSteps && Options.WindowSteps)
    Skip = std::max(Skip, OfSpan - double(Options.WindowSteps));
  uint64_t EndNs = End ? I.Heads[End - 1].EndNs : 0;
  uint64_t FromNs =
      Options.WindowNs ? EndNs - std::min(EndNs, Options.WindowNs) : 0;
  double At = 0;
  for (Begin = First; Begin != End; ++Begin) {
    double Units = UnitsBetween(Begin);
    if (At + 1e-9 >= Skip && Units > 0 && I.Heads[Begin].BeginNs >= FromNs)
      break;
    At += Units;
  }
  Skipped += At;
  for (size_t S = Begin; S != End; ++S)
    UnitsOf.push_back(UnitsBetween(S));
  Span.Intervals = End - Begin;
  if (Span.Intervals < MinGrowthIntervals)
    return false;
  Span.FirstStep = I.Heads[Begin].FirstStep;
  Span.LastStep = I.Heads[End - 1].LastStep;
  Span.BeginNs = I.Heads[Begin].BeginNs;
  Span.EndNs = I.Heads[End - 1].EndNs;
  // The interval open at the end never counts and is not reported.
  uint64_t LastNs = I.Heads[Last - 1].EndNs;
  double Left = agesOf(LastNs - std::min(Span.EndNs, LastNs));
  Span.EndsEarly = End < Open && Left > WorthAWord * agesOf(LastNs);
  Span.PerUnit = Span.HasSteps ? 1 : static_cast<double>(AgeUnitNs) / 1e9;
  return true;
}

/// Whether there was nothing for a large part of the life before an interval.
static bool isAfterQuiet(const ProcessIntervals &I, size_t Interval) {
  constexpr double LongQuiet = 0.03;
  if (Interval == 0)
    return false;
  double Quiet =
      agesOf(I.Heads[Interval].BeginNs -
             std::min(I.Heads[Interval - 1].EndNs, I.Heads[Interval].BeginNs));
  return Quiet > LongQuiet * agesOf(I.Heads.back().EndNs);
}

void RangeBins::sortIntoBins(const ProcessIntervals &I) {
  double OfSpan = 0;
  for (double U : UnitsOf)
    OfSpan += U;
  double Wanted = static_cast<double>(std::min(MaxBins, UnitsOf.size()));
  double At = 0, Next = 0;
  for (double U : UnitsOf) {
    // A bin begins with the first interval of its part of the run, and after
    // long quiet.
    if (Bins.Units.empty() || At + U / 2 >= Next ||
        isAfterQuiet(I, Begin + BinOf.size())) {
      Bins.Units.push_back(0);
      Bins.Intervals.push_back(0);
      BinBegin.push_back(Begin + BinOf.size());
      while (Next <= At + U / 2)
        Next += OfSpan / Wanted;
    }
    Bins.Units.back() += U;
    Bins.Intervals.back() += 1;
    BinOf.push_back(Bins.Units.size() - 1);
    At += U;
  }
  BinBegin.push_back(End);
  Before.assign(1, 0);
  for (double U : UnitsOf)
    Before.push_back(Before.back() + U);
  std::vector<double> Sorted = UnitsOf;
  std::nth_element(Sorted.begin(), Sorted.begin() + Sorted.size() / 2,
                   Sorted.end());
  Bins.Resolution = std::max(1.0, Sorted[Sorted.size() / 2]);
  Bins.WholeFrom = findWhole(I);
}

/// Lifetimes lack the rows whose only cohort is of the first tenth of the life
/// (LiveStats::lifetimeAt()).
size_t RangeBins::findWhole(const ProcessIntervals &I) const {
  constexpr double Start = 0.1;
  size_t Bin = 0;
  // Behind the begin of a long step the place of a row is that in time.
  bool IsByTime = Span.HasSteps && goesOn(I.Heads, I.Heads.size() - 1);
  auto TimeUpTo = [&](size_t Interval) {
    double Time = 0;
    for (size_t S = 0; S != Interval; ++S)
      Time += agesOf(I.Heads[S].EndNs - I.Heads[S].BeginNs);
    return Time;
  };
  if (IsByTime) {
    double Whole = Start * TimeUpTo(I.Heads.size());
    while (Bin + 1 < Bins.size() && TimeUpTo(BinBegin[Bin]) < Whole)
      ++Bin;
    return Bin;
  }
  double At = Skipped;
  for (; Bin + 1 < Bins.size() && At < Start * All; ++Bin)
    At += Bins.Units[Bin];
  return Bin;
}

std::optional<RangeBins> RangeBins::create(const ProcessIntervals &I,
                                           uint32_t Space, size_t Cut,
                                           const GrowthOptions &Options,
                                           RecordedTime Recorded,
                                           size_t &HasIntervals) {
  RangeBins B;
  B.Span.Process = I.Process;
  B.Span.Space = Space;
  bool IsLong = B.choose(I, Cut, Options, Recorded);
  HasIntervals = B.Span.Intervals;
  if (!IsLong)
    return std::nullopt;
  B.sortIntoBins(I);
  return B;
}

void RowSurvival::clear() {
  for (uint32_t Bin : Bins)
    Bytes[Bin] = Blocks[Bin] = 0;
  Bins.clear();
  Frees.clear();
  OldFreed = 0;
}

void RowSurvival::addTo(SurvivalData &To) const {
  for (uint32_t Bin : Bins) {
    To.Bytes[Bin] += Bytes[Bin];
    To.Blocks[Bin] += Blocks[Bin];
  }
  To.OldFreed += OldFreed;
  for (const RowFrees &F : Frees) {
    To.Freed[F.Class].Bytes += F.Freed.Bytes;
    To.Freed[F.Class].Intervals += F.Freed.Intervals;
  }
}

void RangeBins::read(const ProcessIntervals &I, const RowLifetimes &Row,
                     uint64_t AtBegin, RowSurvival &Out) const {
  Out.clear();
  if (Out.Bytes.size() < Bins.size()) {
    Out.Bytes.resize(Bins.size());
    Out.Blocks.resize(Bins.size());
  }
  for (const Cohort &C : Row.Cohorts) {
    size_t First = I.headsBefore(C.Interval);
    size_t Last = std::min(I.headsBefore(uint64_t(C.Last) + 1), End);
    if (Last <= Begin || First >= Last)
      continue; // in the warm-up, or after the cut
    // A cohort may begin in the warm-up and end after it. At most AtBegin of
    // its bytes are of the warm-up.
    double Part = 1;
    if (First < Begin) {
      if (C.Bytes <= AtBegin)
        continue;
      Part =
          static_cast<double>(C.Bytes - AtBegin) / static_cast<double>(C.Bytes);
      First = Begin;
    }
    double Units = Before[Last - Begin] - Before[First - Begin];
    for (size_t Bin = binOf(First); Bin <= binOf(Last - 1); ++Bin) {
      size_t From = std::max(First, BinBegin[Bin]),
             To = std::min(Last, BinBegin[Bin + 1]);
      double Share = Units > 0
                         ? (Before[To - Begin] - Before[From - Begin]) / Units
                         : static_cast<double>(To - From) /
                               static_cast<double>(Last - First);
      // Cohorts come in the order of their intervals.
      if (Out.Bins.empty() || Out.Bins.back() < Bin)
        Out.Bins.push_back(Bin);
      Out.Bytes[Bin] += static_cast<double>(C.Bytes) * Part * Share;
      Out.Blocks[Bin] += static_cast<double>(C.Blocks) * Part * Share;
    }
  }
  for (const LateFrees &F : Row.Frees) {
    if (Span.HasSteps && !F.Age.Steps) {
      Out.OldFreed += static_cast<double>(F.Bytes);
      continue;
    }
    uint32_t Class = Span.HasSteps ? F.Age.Steps - 1 : F.Age.Time;
    auto *At = llvm::find_if(Out.Frees, [&](const RowSurvival::RowFrees &Has) {
      return Has.Class == Class;
    });
    if (At == Out.Frees.end())
      At = &Out.Frees.emplace_back(RowSurvival::RowFrees{Class, {}});
    At->Freed.Bytes += static_cast<double>(F.Bytes);
    At->Freed.Intervals += F.Intervals;
  }
}

} // namespace memkit
