// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a job.
//
// The traces of one boot of a machine share CLOCK_MONOTONIC, so one difference
// to realtime serves for all. Two machines are compared by their steps: ranks
// that train together start a step together.

#include "JobParts.h"
#include "Medians.h"
#include "Support/Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// The ranks of one boot of a machine.
struct Boot {
  std::vector<size_t> Ranks;
  std::map<uint64_t, double> Starts; ///< by step, ns
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

/// The median start of each step over the ranks of a boot, since the start of
/// the job's first rank: a double has no nanoseconds of today's realtime.
static void findStarts(const JobReport &J, Boot &B) {
  std::map<uint64_t, std::vector<double>> All;
  for (size_t I : B.Ranks) {
    const RankSteps &S = J.Ranks[I].Steps;
    for (size_t At = 0; At != S.size(); ++At)
      All[S.Numbers[At]].push_back(double(static_cast<int64_t>(
          J.realtimeOf(I, S.BeginNs[At]) - J.Ranks[0].Start.RealtimeNs)));
  }
  for (auto &[Step, Starts] : All)
    B.Starts[Step] = medianOf(std::move(Starts));
}

/// The start of each step in the job: the median over boots.
static std::map<uint64_t, double>
jobStarts(const std::map<std::string, Boot> &Boots) {
  std::map<uint64_t, std::vector<double>> All;
  for (const auto &[Id, B] : Boots)
    for (const auto &[Step, Start] : B.Starts)
      All[Step].push_back(Start);
  std::map<uint64_t, double> Out;
  for (auto &[Step, Starts] : All)
    if (Starts.size() > 1)
      Out[Step] = medianOf(std::move(Starts));
  return Out;
}

/// Corrects a boot whose steps start earlier or later than the job's steps.
static void alignBySteps(JobReport &J, const Boot &B,
                         const std::map<uint64_t, double> &Of) {
  constexpr size_t MinSteps = 5;
  constexpr double LeastNs = 50e6, Surely = 3;
  std::vector<double> Differences;
  for (const auto &[Step, Start] : B.Starts)
    if (auto At = Of.find(Step); At != Of.end())
      Differences.push_back(Start - At->second);
  if (Differences.size() < MinSteps)
    return;
  double Ahead = medianOf(Differences);
  double Error = Surely * scaledMad(Differences, Ahead);
  if (std::abs(Ahead) < LeastNs || std::abs(Ahead) < 2 * Error)
    return;
  const JobRank &First = J.Ranks[B.Ranks.front()];
  int64_t By = nearestSigned(Ahead);
  J.Clocks.push_back({First.Host, First.BootId, By, nearestUnsigned(Error),
                      Differences.size()});
  // Clocks come from a trace: their sums may wrap.
  for (size_t I : B.Ranks)
    J.ClockOf[I] = static_cast<int64_t>(static_cast<uint64_t>(J.ClockOf[I]) +
                                        static_cast<uint64_t>(By));
}

void alignClocks(JobReport &J) {
  J.ClockOf.assign(J.Ranks.size(), 0);
  std::map<std::string, Boot> Boots = bootsOf(J);
  for (auto &[Id, B] : Boots) {
    alignBoot(J, B);
    findStarts(J, B);
  }
  if (Boots.size() < 2)
    return;
  // Two clocks that differ do not tell which is right: the clock of the first
  // rank's machine counts.
  auto IsFirst = [](const Boot &B) { return B.Ranks.front() == 0; };
  const Boot &First =
      find_if(Boots, [&](const auto &B) { return IsFirst(B.second); })->second;
  std::map<uint64_t, double> Starts =
      Boots.size() == 2 ? First.Starts : jobStarts(Boots);
  for (const auto &[Id, B] : Boots)
    alignBySteps(J, B, Starts);
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
