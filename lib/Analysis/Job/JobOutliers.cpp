// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a job that differ from the others.

#include "Analysis/Series/Medians.h"
#include "JobParts.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

std::optional<double> metricOf(const JobRank &R, RankMetric M) {
  const RankSpace *D = R.device();
  auto Known = [](uint64_t Bytes) -> std::optional<double> {
    return Bytes ? std::optional<double>(Bytes) : std::nullopt;
  };
  switch (M) {
  case RankMetric::HostPeak:
    return Known(R.host().PeakBytes);
  case RankMetric::HostGrowth:
    return R.NumSteps ? std::optional(R.host().GrowthPerStep) : std::nullopt;
  case RankMetric::Rss:
    return Known(R.RssPeakBytes);
  default:
    break;
  }
  if (!D)
    return std::nullopt;
  switch (M) {
  case RankMetric::DeviceReserved:
    return Known(D->ReservedPeakBytes);
  case RankMetric::DeviceUnexplained:
    return D->UsedPeakBytes ? std::optional<double>(D->UnexplainedBytes)
                            : std::nullopt;
  case RankMetric::DeviceGrowth:
    return R.NumSteps ? std::optional(D->GrowthPerStep) : std::nullopt;
  default:
    return D->PeakBytes;
  }
}

/// The ranks' values, without those that are not known.
static std::vector<double> valuesOf(const JobReport &J, ArrayRef<size_t> Ranks,
                                    RankMetric M) {
  std::vector<double> Out;
  for (size_t I : Ranks)
    if (std::optional<double> V = metricOf(J.Ranks[I], M))
      Out.push_back(*V);
  return Out;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Gives each group the name of a layer that no other group has.
static void nameGroups(JobReport &J) {
  std::map<StringRef, unsigned> GroupsWith;
  auto LayersOf = [&](const JobGroup &G) -> ArrayRef<std::string> {
    return J.Ranks[G.Ranks.front()].Layers;
  };
  for (const JobGroup &G : J.Groups)
    for (StringRef Name : LayersOf(G))
      ++GroupsWith[Name];
  for (JobGroup &G : J.Groups)
    for (StringRef Name : LayersOf(G))
      if (GroupsWith[Name] == 1 && J.Groups.size() > 1) {
        G.Layer = Name.str();
        break;
      }
}

void findGroups(JobReport &J) {
  struct Less {
    bool operator()(const JobRank *A, const JobRank *B) const {
      return std::tie(A->Program, A->Layers) < std::tie(B->Program, B->Layers);
    }
  };
  std::map<const JobRank *, JobGroup, Less> Groups;
  for (size_t I = 0; I != J.Ranks.size(); ++I)
    Groups[&J.Ranks[I]].Ranks.push_back(I);
  for (auto &[First, G] : Groups) {
    G.Program = First->Program;
    G.NumLayers = First->Layers.size();
    for (unsigned M = 0; M != NumRankMetrics; ++M)
      G.Median[M] = medianOf(valuesOf(J, G.Ranks, RankMetric(M)));
    J.Groups.push_back(std::move(G));
  }
  stable_sort(J.Groups, [](const JobGroup &A, const JobGroup &B) {
    return A.Ranks.size() > B.Ranks.size();
  });
  nameGroups(J);
}

//===----------------------------------------------------------------------===//
// Outliers
//===----------------------------------------------------------------------===//

/// By how much a value must be above the median, at least: values of small
/// programs and of an idle machine differ by some pages.
static double leastDifference(const JobRank &R, RankMetric M, double Median) {
  constexpr double Share = 0.05, Bytes = 1 << 20, GrowthShare = 0.0025,
                   GrowthBytes = 64 << 10;
  if (!isGrowth(M))
    return std::max(Share * Median, Bytes);
  // Growth counts by what it adds up to.
  const RankSpace *S = M == RankMetric::HostGrowth ? &R.host() : R.device();
  double Whole = std::max(GrowthShare * double(S->PeakBytes), GrowthBytes);
  return std::max(Whole / double(std::max<uint64_t>(1, R.NumSteps)),
                  Median / 2);
}

/// The rank of Ranks whose value is nearest to Median; one whose recording was
/// cut off only without others: it knows less of its lines.
static size_t nearestTo(const JobReport &J, ArrayRef<size_t> Ranks,
                        RankMetric M, double Median) {
  auto Distance = [&](size_t I) {
    std::optional<double> V = metricOf(J.Ranks[I], M);
    return std::pair(J.Ranks[I].CutNs.has_value(),
                     V ? std::abs(*V - Median) : INFINITY);
  };
  return *min_element(
      Ranks, [&](size_t A, size_t B) { return Distance(A) < Distance(B); });
}

/// The ranks among which a rank's typical rank is: those of its group, or All
/// if its group is itself alone.
static ArrayRef<size_t> likeRank(const JobReport &J, size_t Rank,
                                 ArrayRef<size_t> All) {
  for (const JobGroup &G : J.Groups)
    if (G.Ranks.size() > 1 && is_contained(G.Ranks, Rank))
      return G.Ranks;
  return All;
}

static void addOutliers(JobReport &J, ArrayRef<size_t> Ranks, RankMetric M) {
  constexpr size_t MinRanks = 3;
  constexpr double Deviations = 6;
  std::vector<double> Values = valuesOf(J, Ranks, M);
  if (Values.size() < MinRanks)
    return;
  double Median = medianOf(Values), Mad = scaledMad(Values, Median);
  for (size_t I : Ranks) {
    const JobRank &R = J.Ranks[I];
    std::optional<double> V = metricOf(R, M);
    if (V && *V > Median + Deviations * Mad &&
        *V > Median + leastDifference(R, M, Median))
      J.Outliers.push_back({I, M, *V, Median,
                            nearestTo(J, likeRank(J, I, Ranks), M, Median),
                            Values.size()});
  }
}

/// Leaves out what growth on the same side, device or host, explains: a rank
/// that grows is above the others in the end.
static void dropExplained(JobReport &J) {
  constexpr double Roughly = 1.5;
  auto GrownBytes = [&](const RankOutlier &O) {
    double Most = 0;
    for (const RankOutlier &Of : J.Outliers)
      if (Of.Rank == O.Rank && isGrowth(Of.Metric) &&
          isOfDevice(Of.Metric) == isOfDevice(O.Metric))
        Most = std::max(Most, (Of.Value - Of.Median) *
                                  double(J.Ranks[O.Rank].NumSteps));
    return Most;
  };
  std::vector<RankOutlier> Kept;
  for (const RankOutlier &O : J.Outliers)
    if (isGrowth(O.Metric) || O.Value - O.Median > Roughly * GrownBytes(O))
      Kept.push_back(O);
  J.Outliers = std::move(Kept);
}

void findOutliers(JobReport &J) {
  std::vector<size_t> All(J.Ranks.size());
  for (size_t I = 0; I != All.size(); ++I)
    All[I] = I;
  for (unsigned M = 0; M != NumRankMetrics; ++M)
    if (isGrowth(RankMetric(M)))
      addOutliers(J, All, RankMetric(M));
    else
      for (const JobGroup &G : J.Groups)
        addOutliers(J, G.Ranks, RankMetric(M));
  dropExplained(J);
  auto Times = [](const RankOutlier &O) {
    return O.Median > 0 ? O.Value / O.Median : INFINITY;
  };
  stable_sort(J.Outliers, [&](const RankOutlier &A, const RankOutlier &B) {
    return Times(A) > Times(B);
  });
}

} // namespace memkit
