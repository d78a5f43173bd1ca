// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary of a trace that has interval rows and no events.
//
// A recorder with --events=none that is killed leaves no summary. Its interval
// rows have the live values of each stack at the ends of intervals.

#ifndef MEMKIT_LIB_MODEL_INTERVALSUMS_H
#define MEMKIT_LIB_MODEL_INTERVALSUMS_H

#include "Model/Replay/LastSummary.h"
#include "memkit/Model/Trace.h"

namespace memkit {

/// Adds to Sums, the summary of the marks of T, what the interval rows of T
/// tell: the rows of stacks, and the values of heaps, memory spaces, processes
/// and steps. Written: the processes of the Partial sections, whose peaks and
/// counts are exact up to their EndNs. Needs the outline of T. Live values are
/// those at the end of the last interval of each process, or of its row in
/// Written if that is later. A peak is the highest value at the end of an
/// interval, or that of Written: a lower bound. Inner heaps are taken to lie
/// within their parents: they have no exclusive bytes, and add nothing to their
/// memory space. Allocations are exact up to the last whole interval. Memory:
/// the rows, and for each interval a few words a heap. Returns the time of the
/// last interval. Errors: TraceError.
llvm::Expected<uint64_t> addIntervalSums(const Trace &T,
                                         llvm::ArrayRef<ProcessStats> Written,
                                         LastSummary &Sums);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_INTERVALSUMS_H
