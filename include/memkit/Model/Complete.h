// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the stats of a trace without a summary.

#ifndef MEMKIT_MODEL_COMPLETE_H
#define MEMKIT_MODEL_COMPLETE_H

#include "memkit/Model/Replay.h"
#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/TraceWriter.h"
#include <optional>

namespace memkit {

/// The Summary of all events of R, in one piece of any number of rows: for a
/// cut-off trace without a summary, or of the blocks that Options.Select
/// chooses. Processes without a recorded end count as still running.
/// Rows of Partial sections are added if all blocks are chosen; PartialNs, if
/// given, is set to the end time of these rows.
llvm::Expected<Summary> summarize(TraceReader &R, ReplayOptions Options = {},
                                  const ProgressCallback &OnProgress = {},
                                  std::optional<uint64_t> *PartialNs = nullptr);

/// Whether interval rows are all that the file has of its blocks: a recording
/// without events.
bool hasIntervalsAlone(const TraceReader &R);

/// Writes a trace with all sections of R except its Summary, Partial,
/// Intervals, Snapshots and index, followed by Intervals, Snapshots and a
/// Summary made from the events, the Partial sections and the categories of
/// blocks. If R hasIntervalsAlone(), all its sections are written as they are:
/// readers make the Summary from the interval rows. The caller creates Out with
/// R's header and finishes Out.
llvm::Error completeTrace(TraceReader &R, TraceWriter &Out);

} // namespace memkit

#endif // MEMKIT_MODEL_COMPLETE_H
