// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host memory that the ranks of a machine had at the same time.

#ifndef MEMKIT_ANALYSIS_JOBTOGETHER_H
#define MEMKIT_ANALYSIS_JOBTOGETHER_H

#include "memkit/Analysis/Job.h"
#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// The most live bytes of the host that the ranks of a machine had together at
/// the ends of intervals.
struct TogetherPeak {
  uint64_t Bytes = 0;  ///< 0: no intervals
  uint64_t TimeNs = 0; ///< on the trace's clock
  /// The values of single processes are up to this old at TimeNs: the ends of
  /// their last intervals.
  uint64_t AgeNs = 0;
};

/// Of each machine (JobReport::Nodes) of J, made of the ranks of S.trace().
/// Machines are apart, because the times of two machines are only as near as
/// their clocks. Inner heaps are taken to lie within their parents. Empty: the
/// trace has no intervals, as an archive. Errors: TraceError.
llvm::Expected<std::vector<TogetherPeak>> findTogether(const SelectedStats &S,
                                                       const JobReport &J);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_JOBTOGETHER_H
