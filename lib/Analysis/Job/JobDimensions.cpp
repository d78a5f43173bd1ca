// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of ranks that differ from other groups, by the places of ranks in
// dimensions that the user names.
//
// Ranks of one place are often all alike: a rank is no outlier among them, and
// with two places half of all ranks are high. So medians of places are
// compared.

#include "Analysis/Series/Medians.h"
#include "JobParts.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

static constexpr double Deviations = 6, LeastShare = 0.05;

namespace {
/// A rank with the value that is compared.
struct RankValue {
  size_t Rank;
  double Value;
};
using ValuesOfPlaces = std::map<uint32_t, std::vector<RankValue>>;
} // namespace

static double medianOfRanks(ArrayRef<RankValue> Of) {
  std::vector<double> Values;
  for (const RankValue &V : Of)
    Values.push_back(V.Value);
  return medianOf(std::move(Values));
}

/// The rank nearest to Value; one whose recording was cut off only without
/// others.
static size_t nearestRank(const JobReport &J, ArrayRef<RankValue> Of,
                          double Value) {
  auto Distance = [&](const RankValue &V) {
    return std::pair(J.Ranks[V.Rank].CutNs.has_value(),
                     std::abs(V.Value - Value));
  };
  return min_element(Of,
                     [&](const RankValue &A, const RankValue &B) {
                       return Distance(A) < Distance(B);
                     })
      ->Rank;
}

static ValuesOfPlaces valuesByPlace(const JobReport &J, const JobGroup &G,
                                    const RankDimension &D, RankMetric M) {
  ValuesOfPlaces Out;
  for (size_t I : G.Ranks)
    if (std::optional<double> V = metricOf(J.Ranks[I], M);
        V && J.Ranks[I].Rank >= 0)
      Out[D.placeOf(J.Ranks[I].Rank)].push_back({I, *V});
  return Out;
}

/// How far the ranks usually are from the median of their place.
static double usualDistance(const ValuesOfPlaces &All) {
  std::vector<double> Distances;
  for (const auto &[Place, Of] : All) {
    double Median = medianOfRanks(Of);
    for (const RankValue &V : Of)
      Distances.push_back(V.Value - Median);
  }
  return scaledMad(std::move(Distances), 0);
}

static std::vector<RankValue> otherPlaces(const ValuesOfPlaces &All,
                                          uint32_t Place) {
  std::vector<RankValue> Out;
  for (const auto &[Other, Of] : All)
    if (Other != Place)
      append_range(Out, Of);
  return Out;
}

static void findIn(JobReport &J, size_t Group, size_t Dimension, RankMetric M) {
  ValuesOfPlaces All =
      valuesByPlace(J, J.Groups[Group], J.Dimensions[Dimension], M);
  if (All.size() < 2)
    return;
  double Usual = usualDistance(All);
  for (const auto &[Place, Of] : All) {
    // A single rank is compared by findOutliers().
    if (Of.size() < 2)
      continue;
    std::vector<RankValue> Others = otherPlaces(All, Place);
    GroupOutlier G;
    G.Value = medianOfRanks(Of);
    G.Others = medianOfRanks(Others);
    double Least = std::max(LeastShare * G.Others, Deviations * Usual);
    if (Others.size() < 2 || G.Value <= G.Others + Least)
      continue;
    G.Dimension = Dimension;
    G.Place = Place;
    G.Metric = M;
    G.Group = Group;
    for (const RankValue &V : Of)
      G.Ranks.push_back(V.Rank);
    G.Typical = nearestRank(J, Of, G.Value);
    G.TypicalOther = nearestRank(J, Others, G.Others);
    J.GroupOutliers.push_back(std::move(G));
  }
}

/// A rank that is as high as its group is not on its own an outlier.
static bool isExplained(const JobReport &J, const RankOutlier &O) {
  return any_of(J.GroupOutliers, [&](const GroupOutlier &G) {
    return G.Metric == O.Metric && is_contained(G.Ranks, O.Rank) &&
           O.Value <= (1 + LeastShare) * G.Value;
  });
}

void findGroupOutliers(JobReport &J) {
  for (size_t D = 0; D != J.Dimensions.size(); ++D)
    for (size_t Group = 0; Group != J.Groups.size(); ++Group)
      for (RankMetric M : {RankMetric::DevicePeak, RankMetric::DeviceReserved,
                           RankMetric::HostPeak})
        findIn(J, Group, D, M);
  // In per cent: what a rank reserves follows its peak.
  auto Percent = [](const GroupOutlier &G) {
    return G.Others > 0 ? std::floor(100 * G.Value / G.Others) : INFINITY;
  };
  stable_sort(J.GroupOutliers,
              [&](const GroupOutlier &A, const GroupOutlier &B) {
                return Percent(A) > Percent(B);
              });
  erase_if(J.Outliers, [&](const RankOutlier &O) { return isExplained(J, O); });
}

} // namespace memkit
