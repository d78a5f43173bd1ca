// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer about a job: its ranks, and what sets them apart.

#ifndef MEMKIT_ANALYSIS_JOBREPORT_H
#define MEMKIT_ANALYSIS_JOBREPORT_H

#include "memkit/Analysis/JobRanks.h"

namespace memkit {

/// A trace of the job.
struct JobFile {
  std::string Path;
  std::string Error; ///< why the trace was not read; empty: it was
};

/// The values by which ranks are compared, in bytes; Growth is bytes a step.
enum class RankMetric : uint8_t {
  DevicePeak,
  DeviceReserved,
  DeviceUnexplained,
  DeviceGrowth,
  HostPeak,
  HostGrowth,
  Rss,
};
inline constexpr unsigned NumRankMetrics = 7;
inline bool isGrowth(RankMetric M) {
  return M == RankMetric::DeviceGrowth || M == RankMetric::HostGrowth;
}
inline bool isOfDevice(RankMetric M) { return M <= RankMetric::DeviceGrowth; }
/// The value of R; nullopt: not known, as with no device. Of devices: of
/// R.device().
std::optional<double> metricOf(const JobRank &R, RankMetric M);

/// The ranks that run the same program with the same layers: a stage of a
/// pipeline.
struct JobGroup {
  std::string Program;
  std::vector<size_t> Ranks;
  /// A layer that only this group has; empty: none, or the only group.
  std::string Layer;
  size_t NumLayers = 0;
  double Median[NumRankMetrics] = {}; ///< of the ranks that know the value
};

/// A rank far above the others. A value is far above the median of its group
/// (growth: of all ranks) by more than six scaled median absolute deviations,
/// and by a twentieth of the median. What the growth of the rank explains is
/// left out.
struct RankOutlier {
  size_t Rank = 0;
  RankMetric Metric = RankMetric::DevicePeak;
  double Value = 0, Median = 0;
  /// The rank of the same group that is nearest to the median.
  size_t Typical = 0;
  size_t Compared = 0; ///< the number of ranks
};

/// A way to divide the ranks, which their numbers tell: the place of a rank is
/// rank / Stride % Size. With 2 tensor parallel ranks, numbered first, and 4
/// expert ranks, the experts of a rank are rank / 2 % 4.
struct RankDimension {
  std::string Name; ///< `expert`
  uint32_t Size = 1, Stride = 1;
  uint32_t placeOf(int32_t Rank) const {
    return static_cast<uint32_t>(Rank) / Stride % Size;
  }
};

/// The ranks of a group with one place in a dimension, whose median is far
/// above that of the other places: by more than six scaled median absolute
/// deviations of ranks from the median of their place, and by a twentieth.
struct GroupOutlier {
  size_t Dimension = 0;
  uint32_t Place = 0;
  RankMetric Metric = RankMetric::DevicePeak;
  std::vector<size_t> Ranks;
  double Value = 0, Others = 0; ///< medians
  /// The ranks nearest to Value, and of the others nearest to Others.
  size_t Typical = 0, TypicalOther = 0;
  size_t Group = 0; ///< of JobReport::Groups
};

/// The first rank that ran out of memory, and what others held then.
struct FirstOom {
  size_t Rank = 0;
  uint64_t RealtimeNs = 0;
  size_t NumRanks = 0; ///< that ran out of memory at any time
  /// Live bytes of other ranks on their device (without devices: on the host)
  /// at the end of the last step before; 0 ranks: no steps to tell.
  size_t NumOthers = 0;
  uint64_t MedianHeld = 0, MaxHeld = 0;
  size_t MaxRank = 0;
};

/// A machine whose clock differs from the other machines' (of two machines,
/// from the clock of the first rank's machine), by the times at which the
/// machines started the same steps, or ended the same collectives if there are
/// more of these.
struct JobClock {
  std::string Host, BootId;
  int64_t AheadNs = 0;
  uint64_t ErrorNs = 0; ///< the largest usual difference after the correction
  size_t NumSteps = 0, NumCollectives = 0; ///< one of the two is 0
};

/// A machine of the job.
struct JobNode {
  std::string Host;
  std::vector<size_t> Ranks;
  uint64_t HostPeakSum = 0; ///< of the ranks' peaks: an upper bound
  uint64_t RssSum = 0;
  uint64_t DevicePeak = 0; ///< the highest of its devices
};

struct JobReport {
  std::vector<JobFile> Files;
  /// By rank; of a rank with several attempts, the last attempt. Ranks of one
  /// job alone.
  std::vector<JobRank> Ranks;
  /// What stands apart: earlier attempts of a rank, then the ranks that are in
  /// two traces at the same time, then ranks of other jobs.
  std::vector<JobRank> Earlier, Twice, OtherJobs;
  std::string Job;        ///< the launcher's name; empty: not known
  int32_t WorldSize = -1; ///< the most that a rank knows
  std::vector<int32_t> Missing;
  std::vector<JobGroup> Groups; ///< the largest first
  std::vector<JobNode> Nodes;   ///< by name
  std::vector<RankOutlier>
      Outliers; ///< the farthest first, each rank once per metric
  std::vector<RankDimension> Dimensions;
  std::vector<GroupOutlier> GroupOutliers; ///< the farthest first
  std::optional<FirstOom> Oom;
  std::vector<JobClock> Clocks; ///< skewed by more than their error
  std::vector<int64_t> ClockOf; ///< by rank: to be subtracted from its realtime
  std::optional<size_t>
      FirstFailure; ///< the first rank that failed or was killed

  /// TimeNs of a rank's trace as realtime, corrected.
  uint64_t realtimeOf(size_t Rank, uint64_t TimeNs) const {
    const JobRank &R = Ranks[Rank];
    return R.Start.RealtimeNs + TimeNs - static_cast<uint64_t>(ClockOf[Rank]);
  }
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_JOBREPORT_H
