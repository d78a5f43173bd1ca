// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a job.
//
// The traces of one boot of a machine share CLOCK_MONOTONIC, so one difference
// to realtime serves for all. Two machines are compared by their steps, or by
// the collectives that their ranks end: ranks that train together start a step
// together, and leave a collective together.

#include "Analysis/Series/Medians.h"
#include "JobParts.h"
#include "Support/Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <optional>

using namespace llvm;

namespace memkit {

namespace {
/// The ranks of one boot of a machine.
struct Boot {
  std::vector<size_t> Ranks;
  std::map<uint64_t, double> Starts; ///< by step, ns
  std::map<uint64_t, double> Ends;   ///< by key of a collective, ns
};
} // namespace

static std::map<std::string, Boot> bootsOf(const JobReport &J) {
  std::map<std::string, Boot> Out;
  for (size_t I = 0; I != J.Ranks.size(); ++I) {
    const JobRank &R = J.Ranks[I];
    Out[R.BootId.empty() ? R.Host : R.BootId].Ranks.push_back(I);
  }
  return Out;
}

/// Corrects the ranks of a boot to the realtime of its first rank: the
/// machine's realtime may have been set while the job ran.
static void alignBoot(JobReport &J, const Boot &B) {
  const ClockTriple &First = J.Ranks[B.Ranks.front()].Start;
  for (size_t I : B.Ranks) {
    const ClockTriple &C = J.Ranks[I].Start;
    if (!J.Ranks[I].BootId.empty() && C.MonotonicNs && First.MonotonicNs)
      J.ClockOf[I] =
          static_cast<int64_t>((C.RealtimeNs - C.MonotonicNs) -
                               (First.RealtimeNs - First.MonotonicNs));
  }
}

using TimesByKey = std::map<uint64_t, std::vector<double>>;

static std::map<uint64_t, double> mediansOf(TimesByKey All, size_t Least) {
  std::map<uint64_t, double> Out;
  for (auto &[Key, Times] : All)
    if (Times.size() >= Least)
      Out[Key] = medianOf(std::move(Times));
  return Out;
}

/// A time of a rank, since the start of the job's first rank: a double has no
/// nanoseconds of today's realtime.
static double sinceStart(const JobReport &J, size_t Rank, uint64_t TimeNs) {
  return double(static_cast<int64_t>(J.realtimeOf(Rank, TimeNs) -
                                     J.Ranks[0].Start.RealtimeNs));
}

/// The median start of each step over the ranks of a boot.
static std::map<uint64_t, double> stepStarts(const JobReport &J,
                                             const Boot &B) {
  TimesByKey All;
  for (size_t I : B.Ranks) {
    const RankSteps &S = J.Ranks[I].Steps;
    for (size_t At = 0; At != S.size(); ++At)
      All[S.Numbers[At]].push_back(sinceStart(J, I, S.BeginNs[At]));
  }
  return mediansOf(std::move(All), 1);
}

/// The median end of each collective over the ranks of a boot.
static std::map<uint64_t, double> collectiveEnds(const JobReport &J,
                                                 const Boot &B) {
  TimesByKey All;
  for (size_t I : B.Ranks)
    for (const RankCollective &C : J.Ranks[I].Collectives)
      All[C.Key].push_back(sinceStart(J, I, C.EndNs));
  return mediansOf(std::move(All), 1);
}

/// The times in the job: the medians over the boots that have them.
static std::map<uint64_t, double>
jobTimes(const std::map<std::string, Boot> &Boots,
         std::map<uint64_t, double> Boot::*Times) {
  TimesByKey All;
  for (const auto &[Id, B] : Boots)
    for (const auto &[Key, Time] : B.*Times)
      All[Key].push_back(Time);
  return mediansOf(std::move(All), 2);
}

/// How far the times of a boot are ahead of the job's, if that is sure.
static std::optional<JobClock> clockOf(const std::map<uint64_t, double> &Times,
                                       const std::map<uint64_t, double> &Of) {
  constexpr size_t MinTimes = 5;
  constexpr double LeastNs = 50e6, Surely = 3;
  std::vector<double> Differences;
  for (const auto &[Key, Time] : Times)
    if (auto At = Of.find(Key); At != Of.end())
      Differences.push_back(Time - At->second);
  if (Differences.size() < MinTimes)
    return std::nullopt;
  double Ahead = medianOf(Differences);
  double Error = Surely * scaledMad(Differences, Ahead);
  if (std::abs(Ahead) < LeastNs || std::abs(Ahead) < 2 * Error)
    return std::nullopt;
  JobClock C;
  C.AheadNs = nearestSigned(Ahead);
  C.ErrorNs = nearestUnsigned(Error);
  C.NumSteps = Differences.size();
  return C;
}

/// Corrects the ranks of a boot.
static void alignBy(JobReport &J, const Boot &B, JobClock C) {
  const JobRank &First = J.Ranks[B.Ranks.front()];
  C.Host = First.Host;
  C.BootId = First.BootId;
  // Clocks come from a trace: their sums may wrap.
  for (size_t I : B.Ranks)
    J.ClockOf[I] = static_cast<int64_t>(static_cast<uint64_t>(J.ClockOf[I]) +
                                        static_cast<uint64_t>(C.AheadNs));
  J.Clocks.push_back(std::move(C));
}

void alignClocks(JobReport &J) {
  J.ClockOf.assign(J.Ranks.size(), 0);
  std::map<std::string, Boot> Boots = bootsOf(J);
  for (auto &[Id, B] : Boots) {
    alignBoot(J, B);
    B.Starts = stepStarts(J, B);
    B.Ends = collectiveEnds(J, B);
  }
  if (Boots.size() < 2)
    return;
  // Two clocks that differ do not tell which is right: the clock of the first
  // rank's machine counts.
  auto IsFirst = [](const Boot &B) { return B.Ranks.front() == 0; };
  const Boot &First =
      find_if(Boots, [&](const auto &B) { return IsFirst(B.second); })->second;
  bool IsPair = Boots.size() == 2;
  auto Starts = IsPair ? First.Starts : jobTimes(Boots, &Boot::Starts);
  auto Ends = IsPair ? First.Ends : jobTimes(Boots, &Boot::Ends);
  for (const auto &[Id, B] : Boots) {
    std::optional<JobClock> C = clockOf(B.Starts, Starts);
    std::optional<JobClock> ByEnds = clockOf(B.Ends, Ends);
    // Ranks leave a collective within milliseconds. Else their numbers differ.
    constexpr uint64_t MostError = 100'000'000;
    if (ByEnds && ByEnds->ErrorNs <= MostError &&
        (!C || ByEnds->NumSteps > C->NumSteps)) {
      C = std::move(ByEnds);
      std::swap(C->NumSteps, C->NumCollectives);
    }
    if (C)
      alignBy(J, B, std::move(*C));
  }
}

//===----------------------------------------------------------------------===//
// The first rank to run out of memory
//===----------------------------------------------------------------------===//

/// Live bytes of a rank on its device, else on the host, at the end of the last
/// kept step before RealtimeNs.
static std::optional<uint64_t> heldAt(const JobReport &J, size_t Rank,
                                      uint64_t RealtimeNs) {
  const JobRank &R = J.Ranks[Rank];
  const RankSpace *D = R.device();
  size_t Space = D ? D - R.Spaces.data() : 0;
  std::optional<uint64_t> Held;
  for (size_t At = 0; At != R.Steps.size(); ++At)
    if (J.realtimeOf(Rank, R.Steps.EndNs[At]) <= RealtimeNs)
      Held = R.Steps.Live[At * R.Spaces.size() + Space];
  return Held;
}

void findFirstOom(JobReport &J) {
  size_t NumRanks = 0;
  for (size_t I = 0; I != J.Ranks.size(); ++I) {
    if (!J.Ranks[I].Oom)
      continue;
    ++NumRanks;
    uint64_t At = J.realtimeOf(I, J.Ranks[I].Oom->TimeNs);
    if (!J.Oom || At < J.Oom->RealtimeNs) {
      J.Oom.emplace();
      J.Oom->Rank = I;
      J.Oom->RealtimeNs = At;
    }
  }
  if (!J.Oom)
    return;
  FirstOom &O = *J.Oom;
  O.NumRanks = NumRanks;
  std::vector<double> All;
  for (size_t I = 0; I != J.Ranks.size(); ++I) {
    std::optional<uint64_t> Held = heldAt(J, I, O.RealtimeNs);
    if (I == O.Rank || !Held)
      continue;
    All.push_back(double(*Held));
    if (All.size() == 1 || *Held > O.MaxHeld) {
      O.MaxHeld = *Held;
      O.MaxRank = I;
    }
  }
  O.NumOthers = All.size();
  O.MedianHeld = nearestUnsigned(medianOf(std::move(All)));
}

} // namespace memkit
