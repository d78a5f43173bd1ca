// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a device's work, by CUPTI's activity records.
//
// For `--cuda=time` alone: else no kind of record is enabled. CUPTI writes a
// record of each kernel, copy, memset and graph into a buffer, and hands over a
// buffer when it is full, or at a flush. memkit's buffers come from a pool that
// is mapped once; a buffer that the pool lacks costs the records, which CUPTI
// counts. A buffer's records go to the ring of the thread that hands it over:
// CUPTI's own, or the one that flushes.
//
// A process has one set of buffers. When a library of the program takes the
// records (torch.profiler), memkit stops at once and does not come back.

#ifndef MEMKIT_CAPTURE_CUDA_ACTIVITY_H
#define MEMKIT_CAPTURE_CUDA_ACTIVITY_H

#include "Cuda/Cupti.h"

namespace memkit::capture::cuda {

/// Begins, once, and reports to the recorder whether work is recorded; false:
/// it is not. \p C: must stay. \p HearsCalls: CUPTI reports the launches to
/// memkit.
/// \p Leave: called before a library of the program (Who) takes the records.
bool beginActivity(const CuptiActivity &C, bool HearsCalls,
                   void (*Leave)(const char *Who));
/// Gives up the records for good, because \p Who takes them, or CUPTI's
/// callbacks.
void endActivity(const char *Who);
/// The program has waited for a device: takes the work that has ended, at most
/// once a second, so that a killed program has lost little.
void flushActivityIfDue();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_ACTIVITY_H
