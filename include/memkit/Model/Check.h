// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a trace's stats against the trace's events.

#ifndef MEMKIT_MODEL_CHECK_H
#define MEMKIT_MODEL_CHECK_H

#include "memkit/Trace/TraceReader.h"
#include <string>
#include <vector>

namespace memkit {

/// The result of checkTrace().
struct CheckResult {
  uint64_t Events = 0;
  uint64_t SummaryRows = 0; ///< compared rows of stacks and scope paths
  uint64_t Intervals = 0;   ///< compared
  uint64_t Snapshots = 0;   ///< compared
  uint64_t Lifetimes = 0;   ///< compared rows
  uint64_t Categories = 0;  ///< compared blocks
  /// The file's value and the value from the events, one text for each
  /// difference; at most MaxDifferences.
  std::vector<std::string> Differences;
  uint64_t MoreDifferences = 0;
  /// Parts of the trace that could not be compared, with the reason.
  std::vector<std::string> Notes;

  static constexpr size_t MaxDifferences = 100;
  bool agrees() const { return Differences.empty(); }
  void add(std::string Difference);
};

/// Replays every event of R and compares the result with the last complete
/// Summary, the Intervals, Lifetimes, Snapshots and BlockCategories. Values
/// that events cannot give are not compared: reserved bytes, inherited frees,
/// losses, layers. If events were left out on request, only the part before the
/// left-out events is compared, and a note says so. A trace that cannot be
/// replayed is an error with the offset of the section.
llvm::Expected<CheckResult> checkTrace(TraceReader &R);

} // namespace memkit

#endif // MEMKIT_MODEL_CHECK_H
