// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up the sums that a trace lacks.

#ifndef MEMKIT_MODEL_COMPLETE_H
#define MEMKIT_MODEL_COMPLETE_H

#include "memkit/Model/Replay.h"
#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/TraceWriter.h"
#include <optional>

namespace memkit {

/// The Summary of all events of R, in one piece of any number of rows: for a
/// trace that has none, being cut off, or of those blocks that Select of
/// Options leaves. Processes without an end are still running in it.
/// Rows of Partial sections are added where all blocks are meant; PartialNs, if
/// given, becomes the time up to which they are.
llvm::Expected<Summary> summarize(TraceReader &R, ReplayOptions Options = {},
                                  const ProgressCallback &OnProgress = {},
                                  std::optional<uint64_t> *PartialNs = nullptr);

/// Writes a trace that has all sections of R but its Summary, Partial,
/// Intervals, Snapshots and index, and after them Intervals, Snapshots and a
/// Summary made from the events and the Partial sections. Out was created with
/// R's header; the caller finishes it.
llvm::Error completeTrace(TraceReader &R, TraceWriter &Out);

} // namespace memkit

#endif // MEMKIT_MODEL_COMPLETE_H
