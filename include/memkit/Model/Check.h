// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a trace agrees with itself.

#ifndef MEMKIT_MODEL_CHECK_H
#define MEMKIT_MODEL_CHECK_H

#include "memkit/Trace/TraceReader.h"
#include <string>
#include <vector>

namespace memkit {

/// What checkTrace() compared and found.
struct CheckResult {
  uint64_t Events = 0;
  uint64_t SummaryRows = 0; ///< compared, of stacks and scope paths
  uint64_t Intervals = 0;   ///< compared
  uint64_t Snapshots = 0;   ///< compared
  uint64_t Lifetimes = 0;   ///< rows, compared
  /// What the file says and what its events give instead, one each; the first
  /// MaxDifferences of them.
  std::vector<std::string> Differences;
  uint64_t MoreDifferences = 0;
  /// What could not be compared, and why.
  std::vector<std::string> Notes;

  static constexpr size_t MaxDifferences = 100;
  bool agrees() const { return Differences.empty(); }
  void add(std::string Difference);
};

/// Replays every event of R and compares what results with its last complete
/// Summary, its Intervals, Lifetimes and Snapshots. Not compared, as events do
/// not tell: reserved bytes, inherited frees, losses, layers. Where events were
/// left out on request only what is before that is compared, and a note says
/// so. An error is a trace that cannot be replayed; it names the section's
/// offset.
llvm::Expected<CheckResult> checkTrace(TraceReader &R);

} // namespace memkit

#endif // MEMKIT_MODEL_CHECK_H
