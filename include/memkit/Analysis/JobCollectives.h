// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collective operations of ranks.
//
// Ranks leave a collective together. So the ends of the same collective, the
// n-th of its name, tell how far the clocks of two machines are apart.

#ifndef MEMKIT_ANALYSIS_JOBCOLLECTIVES_H
#define MEMKIT_ANALYSIS_JOBCOLLECTIVES_H

#include "memkit/Analysis/JobRanks.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Whether a range of this name is a collective of NCCL, Gloo or PyTorch:
/// `nccl:all_reduce`, `ncclAllReduce`, `gloo:broadcast`, `c10d::allreduce_`.
bool isCollective(llvm::StringRef Name);

/// Fills in JobRank::Collectives of the ranks of T from the ranges among the
/// marks, of each name those whose number divides by a power of two, at most
/// 512. ReadNames is called before the names of T are needed, if T has ranges.
/// Errors: TraceError; of ReadNames.
llvm::Error readCollectives(const Trace &T,
                            llvm::function_ref<llvm::Error()> ReadNames,
                            std::vector<JobRank> &Ranks);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_JOBCOLLECTIVES_H
