// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank holds that a typical rank of its job does not hold.

#ifndef MEMKIT_ANALYSIS_JOBDIFFERENCES_H
#define MEMKIT_ANALYSIS_JOBDIFFERENCES_H

#include "memkit/Analysis/JobRanks.h"
#include <string>
#include <vector>

namespace memkit {

enum class RankPart : uint8_t { Line, Layer, Category };
inline constexpr unsigned NumRankParts = 3;

/// The bytes of a line, layer or category of tensors in both ranks.
struct RankDifference {
  RankPart Part = RankPart::Line;
  std::string Name; ///< `train.py:31 log_metrics`, `blocks.3.mlp`
  TensorCategory Category = TensorCategory::Unknown; ///< which has no Name
  uint64_t Bytes = 0, Typical = 0;
};

/// Bytes are those at the peak of the memory space. OfGrowth: the lines are
/// those that grow (Growth.h), with the bytes since their growth began; if a
/// trace without intervals tells none, those at the peak.
struct RankComparison {
  const Trace &T;
  const JobRank &Rank;
  bool OfDevice = false; ///< of Rank.device(), else of the host
  bool OfGrowth = false;
};

/// The differences by which A holds more than B, by part, then the largest
/// first; at most Top of each part. Reads TP_All of both traces.
llvm::Expected<std::vector<RankDifference>>
differRanks(const RankComparison &A, const RankComparison &B, size_t Top);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_JOBDIFFERENCES_H
